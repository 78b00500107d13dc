//go:build linux

package main

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"pgregory.net/rapid"
)

// passes runs the filter for destinations on an event, as the kernel does.
func passes(t interface{ Fatal(...any) }, to []netip.AddrPort, event []byte) bool {
	vm, err := bpf.NewVM(filter(to))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := vm.Run(event)
	if err != nil {
		t.Fatal(err)
	}
	if kept != 0 && kept < len(event) {
		t.Fatal("the event is cut short")
	}
	return kept > 0
}

// destinations parses destinations in the form of the flag.
func destinations(text string) (to []netip.AddrPort) {
	for _, word := range strings.Fields(text) {
		if port, anywhere := strings.CutPrefix(word, ":"); anywhere {
			to = append(to, netip.AddrPortFrom(netip.Addr{}, netip.MustParseAddrPort("0.0.0.0:"+port).Port()))
			continue
		}
		to = append(to, netip.MustParseAddrPort(word))
	}
	return to
}

func TestFilter(t *testing.T) {
	other := func(file string, at int, value byte) []byte {
		event := slices.Clone(recordedConnections(t, file))
		event[at] = value
		return event
	}
	for _, tc := range []struct {
		sentence string
		to       string
		event    []byte
		pass     bool
	}{
		{"the destination", "10.96.0.10:80", recordedConnections(t, "tcp4"), true},
		{"the destination by IPv6", "[fd00:96::10]:80", recordedConnections(t, "tcp6"), true},
		{"any address with the port", ":80", recordedConnections(t, "tcp4"), true},
		{"any address with the port, by IPv6", ":80", recordedConnections(t, "tcp6"), true},
		{"the last of several", "10.96.0.11:80 [fd00:96::10]:80 :30080 10.96.0.10:80", recordedConnections(t, "tcp4"), true},
		{"the first of several, by IPv6", "[fd00:96::10]:80 10.96.0.10:80 [fd00:96::11]:80", recordedConnections(t, "tcp6"), true},
		{"another port", "10.96.0.10:81 :82", recordedConnections(t, "tcp4"), false},
		{"another port by IPv6", "[fd00:96::10]:81 :82", recordedConnections(t, "tcp6"), false},
		{"another address", "10.96.0.11:80 11.96.0.10:80", recordedConnections(t, "tcp4"), false},
		{"another address by IPv6, whose last byte differs", "[fd00:96::11]:80", recordedConnections(t, "tcp6"), false},
		{"another address by IPv6, whose first byte differs", "[fc00:96::10]:80", recordedConnections(t, "tcp6"), false},
		{"the other family", "10.96.0.10:80", recordedConnections(t, "tcp6"), false},
		{"the other family, to IPv4", "[fd00:96::10]:80", recordedConnections(t, "tcp4"), false},
		{"none", "", recordedConnections(t, "tcp4"), false},
		{"the client's port, which is that of the destination", ":60337", recordedConnections(t, "tcp4"), false},
		{"the pod's port, which is that of the destination", ":8080", recordedConnections(t, "tcp4"), false},
		{"UDP", ":80", recordedConnections(t, "udp4"), false},
		{"UDP by IPv6", ":80", recordedConnections(t, "udp6"), false},
		{"what is too short is looked at", ":81", recordedConnections(t, "tcp4")[:90], true},
		{"nothing", ":81", nil, true},
		{"an unknown family is looked at", ":81", other("tcp4", 16, 7), true},
		{"another first attribute is looked at", ":81", other("tcp4", 22, 2), true},
		{"another attribute than the destination's address is looked at", ":81", other("tcp4", 38, 9), true},
		{"another attribute than the protocol is looked at", ":81", other("tcp6", 74, 9), true},
		{"another attribute than the destination's port is looked at", ":81", other("tcp6", 90, 9), true},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			if pass := passes(t, destinations(tc.to), tc.event); pass != tc.pass {
				t.Errorf("passes: %t", pass)
			}
		})
	}
}

// TestFilterHoldsBackNothingOfOurs changes recordings at random: all events that would be reported must pass.
func TestFilterHoldsBackNothingOfOurs(t *testing.T) {
	all := originals(t)
	rapid.Check(t, func(t *rapid.T) {
		l := &conntrackListener{to: destinations(rapid.SampledFrom([]string{"10.96.0.10:80 [fd00:96::10]:80", ":80"}).Draw(t, "to"))}
		event := changed(t, all)
		messages, _, _ := splitMessages(event)
		for _, m := range messages {
			if c, err := parse(m); err == nil && l.matches(c) && !passes(t, l.to, event) {
				t.Fatalf("%v is held back", c)
			}
		}
	})
}

func TestWhereTheKernelDoesNotTellItIsRefused(t *testing.T) {
	for _, tc := range []struct{ sentence, setting, want string }{
		{"it does", "1\n", ""},
		{"it does when somebody listens", "2\n", ""},
		{"it does not", "0\n", "net.netfilter.nf_conntrack_events is 0: the kernel does not report new connections"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "setting")
			if err := os.WriteFile(file, []byte(tc.setting), 0o600); err != nil {
				t.Fatal(err)
			}
			err := checkAnnounced(file)
			if err == nil {
				err = errors.New("")
			}
			if err.Error() != tc.want {
				t.Error(err)
			}
		})
	}
}
