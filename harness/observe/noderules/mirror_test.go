//go:build linux

package main

import (
	"compress/gzip"
	"errors"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// recordedRules reads a file of netlink messages recorded from the kernel of a node.
func recordedRules(t *testing.T, file string) []message {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", file+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	messages, _, err := splitMessages(data)
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

// mirrorOf returns a mirror with the contents of a dump, which begins with its generation.
func mirrorOf(t *testing.T, tables []followedTable, dump []message) *mirror {
	t.Helper()
	a, err := parseAttributes(dump[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	rules := newRuleset(tables)
	for _, m := range dump[1:] {
		if err := rules.apply(m); err != nil {
			t.Fatal(err)
		}
	}
	m := &mirror{tables: tables}
	m.show(rules, uint32(numberOf(a[unix.NFTA_GEN_ID])))
	return m
}

// TestRolloutsOnRealNodes replays two rolling updates of three pods behind two Services, one of them with session
// affinity: what a worker's kernel sent before, during and after, with kube-proxy 1.36.
func TestRolloutsOnRealNodes(t *testing.T) {
	const others = "10.244.0.2:53 10.244.0.2:9153 10.244.0.3:53 10.244.0.3:9153"
	for _, tc := range []struct {
		mode    string
		table   string
		chains  string
		changes []string // endpoints gone and added, for each transaction that changed an endpoint
	}{
		{"nftables", "kube-proxy", "", []string{
			"-10.244.1.28:5353 +10.244.2.26:5353", "+10.244.1.30:5353", "-10.244.2.25:5353", "-10.244.1.29:5353 +10.244.2.27:5353",
		}},
		{"iptables", "nat", "KUBE-", []string{
			"-10.244.2.12:5353 +10.244.2.13:5353", "-10.244.1.14:5353 +10.244.1.16:5353", "-10.244.1.15:5353 +10.244.2.14:5353",
		}},
	} {
		t.Run(tc.mode, func(t *testing.T) {
			tables := []followedTable{{unix.NFPROTO_IPV4, tc.table, tc.chains}, {unix.NFPROTO_IPV6, tc.table, tc.chains}}
			m := mirrorOf(t, tables, recordedRules(t, tc.mode+"-before"))
			if len(m.endpoints) != 8 {
				t.Errorf("before: %v, want %s, the API server and three pods", m.endpoints, others)
			}
			m.received = recordedRules(t, tc.mode+"-events")
			var changes []string
			for known := m.endpoints; ; known = m.endpoints {
				more, err := m.apply()
				if err != nil {
					t.Fatal(err)
				}
				if change := difference(known, m.endpoints); change != "" {
					changes = append(changes, change)
				}
				if !more {
					break
				}
			}
			if diff := cmp.Diff(tc.changes, changes); diff != "" {
				t.Error(diff)
			}
			after := mirrorOf(t, tables, recordedRules(t, tc.mode+"-after"))
			if change := difference(m.endpoints, after.endpoints); change != "" || m.generation != after.generation {
				t.Errorf("the events led to generation %d, there was %d with %s", m.generation, after.generation, change)
			}
		})
	}
}

func difference(before, after []netip.AddrPort) string {
	var text string
	add := func(sign string, in, notIn []netip.AddrPort) {
		for _, e := range in {
			if !slices.Contains(notIn, e) {
				text += " " + sign + e.String()
			}
		}
	}
	add("-", before, after)
	add("+", after, before)
	if text == "" {
		return ""
	}
	return text[1:]
}

func TestALostTransactionIsNoticed(t *testing.T) {
	tables := []followedTable{{Family: unix.NFPROTO_IPV4, Name: "kube-proxy"}}
	m := mirrorOf(t, tables, recordedRules(t, "nftables-before"))
	events := recordedRules(t, "nftables-events")
	end := slices.IndexFunc(events, func(m message) bool { return m.Kind == unix.NFT_MSG_NEWGEN })
	m.received = events[end+1:]
	if _, err := m.apply(); !errors.Is(err, errLost) {
		t.Errorf("error %v, want %v", err, errLost)
	}
}

func TestWhatWasReadAlreadyIsNotAppliedAgain(t *testing.T) {
	tables := []followedTable{{Family: unix.NFPROTO_IPV4, Name: "kube-proxy"}}
	m := mirrorOf(t, tables, recordedRules(t, "nftables-after"))
	m.received = recordedRules(t, "nftables-events")
	shown := m.endpoints
	if more, err := m.apply(); more || err != nil || difference(shown, m.endpoints) != "" {
		t.Errorf("%v, %v, %s", more, err, difference(shown, m.endpoints))
	}
}
