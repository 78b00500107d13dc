package during

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// fromHost returns the scenario without a cluster: this host requests the URL over new and over kept connections, and the control URL. No
// maintenance is expected to take that away.
func (m *maintenance) fromHost(ctx context.Context) (harness.Scenario, error) {
	s, err := m.existing(ctx, nil, m.scenario())
	if err != nil {
		return s, err
	}
	load := s.UnderLoad()
	load.Also = []string{evidence.Kept}
	if m.control == "" {
		s.Limits = append(s.Limits, noControl())
	}
	load.Disruption.Expects = slices.DeleteFunc(load.Disruption.Expects, func(reason string) bool { return reason == controlFailures })
	load.Existing.Explain = obstacles{to: load.Existing}.explain
	s.Kind = load
	return s, nil
}

// readControl returns --control-url, and an error for one that has no effect, or shows nothing of the way to --url.
func (o Options) readControl() (string, error) {
	const flag = "--control-url"
	if o.ControlURL == "" {
		return "", nil
	}
	if err := userapp.CheckURL(flag, o.ControlURL, "https://static.example.com/", "name one that needs no secret"); err != nil {
		return "", err
	}
	control := lowerScheme(o.ControlURL)
	switch {
	case !o.fromHost():
		return "", usage.New(flag+"="+control, "it has no effect here", "give it with --url alone: on a cluster control lanes ask a pod of ours")
	case control == o.URL:
		return "", usage.New(flag+"="+control, "it is --url itself", "name one on the same way that nobody rolls out")
	}
	return control, nil
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
		m.screen.say(m.proxy + " is set for " + m.url + ": the load bypasses the proxy, so the verdict will be inconclusive; set NO_PROXY for this host")
	}
}
