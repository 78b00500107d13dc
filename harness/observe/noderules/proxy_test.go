//go:build linux

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSyncsAreFoundInMetrics(t *testing.T) {
	const name = "kubeproxy_sync_proxy_rules_last_timestamp_seconds"
	at := func(ns int64) time.Time { return time.Unix(0, ns) }
	for _, tc := range []struct {
		sentence string
		page     string
		want     syncState
		fails    bool
	}{
		{"no such metric", "# HELP x y\nx 1\n", syncState{}, false},
		{"one for each family", name + `{ip_family="IPv4"} 1.7e+09` + "\n" + name + `{ip_family="IPv6"} 1.5e+09` + "\n",
			syncState{last: []lastSync{{"IPv4", at(17e17)}, {"IPv6", at(15e17)}}}, false},
		{"no label, as before Kubernetes 1.33", name + " 1.7e+09\n", syncState{last: []lastSync{{"-", at(17e17)}}}, false},
		{"a label more", name + `{a="b",ip_family="IPv4"} 1.7e+09` + "\n", syncState{last: []lastSync{{"IPv4", at(17e17)}}}, false},
		{"the help of the metric is none", "# HELP " + name + " [ALPHA] …\n# TYPE " + name + " gauge\n", syncState{}, false},
		{"a family that was never synced", name + `{ip_family="IPv6"} 0` + "\n", syncState{}, false},
		{"failures of both modes and families add up", "kubeproxy_sync_proxy_rules_nftables_sync_failures_total{ip_family=\"IPv4\"} 3\n" +
			"kubeproxy_sync_proxy_rules_nftables_sync_failures_total{ip_family=\"IPv6\"} 1\n" +
			"kubeproxy_sync_proxy_rules_iptables_restore_failures_total 2\n", syncState{failures: 6}, false},
		{"failures to delete old rules are others", "kubeproxy_sync_proxy_rules_nftables_cleanup_failures_total 3\n", syncState{}, false},
		{"a value that is no number", name + " soon\n", syncState{}, true},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			got, err := parseSyncs(strings.NewReader(tc.page))
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(syncState{}, lastSync{})); diff != "" || (err != nil) != tc.fails {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestSyncsOfARealKubeProxy(t *testing.T) {
	f, err := os.Open("testdata/metrics.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syncs, err := parseSyncs(f)
	want := syncState{last: []lastSync{{"IPv4", time.Unix(1795278073, 885359525)}}} // as exact as a float64 can be
	if diff := cmp.Diff(want, syncs, cmp.AllowUnexported(syncState{}, lastSync{})); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestModeIsAwaited(t *testing.T) {
	asked := 0
	p := kubeProxy(func(path string) (string, error) {
		if asked++; path != "/proxyMode" || asked < 2 {
			return "", io.ErrUnexpectedEOF
		}
		return "nftables", nil
	})
	if mode, err := p.mode(t.Context()); mode != "nftables" || err != nil {
		t.Errorf("%q, %v", mode, err)
	}
}

func TestModeIsAwaitedNoLongerThanTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := kubeProxy(func(string) (string, error) { cancel(); return "", io.ErrUnexpectedEOF })
	if _, err := p.mode(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
