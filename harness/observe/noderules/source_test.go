//go:build linux

package main

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/dataplane"
)

// The pause after a read depends on its processor time, not on how long a busy node made it wait. The bubble's clock stands still while a
// thread works.
func TestPolledRestsForWhatItCosts(t *testing.T) {
	const cost = 20 * time.Millisecond
	for _, row := range []struct {
		sentence string
		read     func()
		rests    bool
	}{
		{"a read that waits", func() { time.Sleep(time.Hour) }, false},
		{"a read that works", func() {
			for began := threadTime(); threadTime()-began < cost; {
			}
		}, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &polled{read: func() ([]netip.AddrPort, error) { row.read(); return nil, nil }}
			if _, err := p.look(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
			if rest := time.Until(p.next); rest >= restPerRead*cost != row.rests {
				t.Errorf("%s: %v of rest", row.sentence, rest)
			}
		})
	}
}

// The rules of each data plane that may be detected can be read.
func TestEachPlaneHasASource(t *testing.T) {
	for _, plane := range dataplane.All() {
		if plane.Proxy.Detect != nil && sources[plane.Name] == nil {
			t.Errorf("%s has none", plane.Name)
		}
	}
}
