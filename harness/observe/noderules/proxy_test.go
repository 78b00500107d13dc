//go:build linux

package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/rollcall/harness/dataplane"
)

func TestThePlaneIsAwaited(t *testing.T) {
	asked := 0
	p := kubeProxy(func(path string) (string, error) {
		if asked++; path != "/proxyMode" || asked < 2 {
			return "", io.ErrUnexpectedEOF
		}
		return "nftables", nil
	})
	if plane, err := p.plane(t.Context()); plane != "nftables" || err != nil {
		t.Errorf("%q, %v", plane, err)
	}
}

func TestThePlaneIsAwaitedNoLongerThanTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := kubeProxy(func(string) (string, error) { cancel(); return "", io.ErrUnexpectedEOF })
	if _, err := p.plane(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// The proxy that answers is the node's, and the error names all if none does.
func TestDetect(t *testing.T) {
	relayd := &dataplane.Proxy{Name: "relayd", Address: "http://relayd", Detect: func(get func(string) (string, error)) (string, error) {
		text, err := get("/status")
		return strings.TrimPrefix(text, "plane: "), err
	}}
	unread := &dataplane.Proxy{Name: "unread", Address: "http://relayd"}
	for _, row := range []struct {
		sentence string
		answers  string // host
		plane    string
	}{
		{"kube-proxy answers", "localhost", "iptables"},
		{"another proxy answers, in its own way", "relayd", "relay"},
		{"none answers", "", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			p := proxies{[]*dataplane.Proxy{unread, dataplane.KubeProxy, relayd}, answering(func(r *http.Request) (string, error) {
				if r.URL.Hostname() != row.answers {
					return "", io.ErrUnexpectedEOF
				}
				return map[string]string{"/proxyMode": "iptables", "/status": "plane: relay"}[r.URL.Path], nil
			})}
			plane, err := p.detect(t.Context())
			if plane != row.plane || (err == nil) != (plane != "") {
				t.Errorf("%q, %v", plane, err)
			}
			for _, all := range []string{"ask kube-proxy for /proxyMode: ", "ask relayd for /status: "} {
				if err != nil && !strings.Contains(err.Error(), all) {
					t.Errorf("%q is not in: %v", all, err)
				}
			}
		})
	}
}
