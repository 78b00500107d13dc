//go:build linux

package main

import (
	"fmt"
	"io"
	"net/netip"
	"time"

	"example.com/rollcall/harness/usage"
)

// A lineWriter writes the observer's output, which the package comment describes: one line per change, at once. It is
// for one goroutine. After an error it writes nothing more.
type lineWriter struct {
	out io.Writer
	err error
}

func (w *lineWriter) begin(now time.Time, plane, method string) { w.write(now, "begin", plane, method) }

// none writes why there is no proxy, instead of begin.
func (w *lineWriter) none(now time.Time, why error) { w.write(now, "none", usage.OneLine(why)) }

func (w *lineWriter) added(now time.Time, e netip.AddrPort) {
	w.write(now, "added", e.Addr(), e.Port())
}

func (w *lineWriter) gone(now time.Time, e netip.AddrPort) { w.write(now, "gone", e.Addr(), e.Port()) }

func (w *lineWriter) load(now time.Time, l load) {
	w.write(now, "load", l.busy, l.tracked, l.capacity)
	if l.stolen > 0 {
		w.write(now, "stolen", l.stolen)
	}
}

// flows writes that the observer listens to connections.
func (w *lineWriter) flows(now time.Time) { w.write(now, "flows") }

// noFlows writes why there are no flows.
func (w *lineWriter) noFlows(now time.Time, why error) { w.write(now, "noflows", usage.OneLine(why)) }

func (w *lineWriter) flow(now time.Time, flows []routedFlow) {
	fields := []any{"flow"}
	for _, f := range flows {
		fields = append(fields, f.Client, f.To, f.Pod, now.Sub(f.Received).Microseconds())
	}
	w.write(now, fields...)
}

// blind writes that what ("rules", "loads" or "flows") could not be seen since a time, and why.
func (w *lineWriter) blind(now, since time.Time, what string, why error) {
	w.write(now, "blind", since.UnixNano(), what, usage.OneLine(why))
}

func (w *lineWriter) end(now time.Time) { w.write(now, "end") }

func (w *lineWriter) write(now time.Time, fields ...any) {
	if w.err != nil {
		return
	}
	line := fmt.Sprintln(append([]any{"R", now.UnixNano()}, fields...)...)
	if _, err := io.WriteString(w.out, line); err != nil {
		w.err = fmt.Errorf("write output: %w", err)
	}
}
