//go:build linux

package main

import (
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"
)

// A tape is the node's own record: one line per change, each written at once. It is for one goroutine. After an
// error nothing more is written.
type tape struct {
	out io.Writer
	err error
}

func (t *tape) begin(now time.Time, mode, means string) { t.write(now, "begin", mode, means) }

// none is written in the place of begin.
func (t *tape) none(now time.Time, why error) { t.write(now, "none", words(why)) }

func (t *tape) added(now time.Time, e netip.AddrPort) { t.write(now, "added", e.Addr(), e.Port()) }

func (t *tape) gone(now time.Time, e netip.AddrPort) { t.write(now, "gone", e.Addr(), e.Port()) }

func (t *tape) synced(now time.Time, s lastSync) { t.write(now, "sync", s.at.UnixNano(), s.family) }

func (t *tape) load(now time.Time, l load) {
	t.write(now, "load", l.busy, l.tracked, l.capacity)
	if l.stolen > 0 {
		t.write(now, "stolen", l.stolen)
	}
}

// blind notes that what, "rules", "syncs" or "loads", could not be seen since the time given, and why.
func (t *tape) blind(now, since time.Time, what string, why any) {
	t.write(now, "blind", since.UnixNano(), what, words(why))
}

// words puts a text on one line.
func words(text any) string { return strings.Join(strings.Fields(fmt.Sprint(text)), " ") }

func (t *tape) end(now time.Time) { t.write(now, "end") }

func (t *tape) write(now time.Time, fields ...any) {
	if t.err != nil {
		return
	}
	line := fmt.Sprintln(append([]any{"R", now.UnixNano()}, fields...)...)
	if _, err := io.WriteString(t.out, line); err != nil {
		t.err = fmt.Errorf("write tape: %w", err)
	}
}
