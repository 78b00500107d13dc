package during

import (
	"context"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
)

// fromHost returns the scenario without a cluster: this host requests the URL over new and over kept connections.
func (m *maintenance) fromHost(ctx context.Context) (harness.Scenario, error) {
	s, err := m.elsewhere(ctx, nil, m.scenario())
	if err != nil {
		return s, err
	}
	s.Load.Also = []string{evidence.Kept}
	s.Limits = append(s.Limits, noControl())
	s.Elsewhere.Explain = obstacles{to: s.Elsewhere}.explain
	return s, nil
}

// proxyFor returns the environment variable with a proxy for a URL; empty if there is none.
func proxyFor(text string) string {
	at, err := url.Parse(text)
	if err != nil {
		return ""
	}
	if proxy, err := httpproxy.FromEnvironment().ProxyFunc()(at); err == nil && proxy == nil {
		return ""
	}
	return strings.ToUpper(at.Scheme) + "_PROXY"
}

// sayProxy warns if the environment has a proxy for the URL, because the load does not use it.
func (m *maintenance) sayProxy() {
	if m.proxy != "" {
		m.screen.say(m.proxy + " is set for " + m.url + ": the load goes straight to it, so that it will be inconclusive; NO_PROXY ends that")
	}
}
