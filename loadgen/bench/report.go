package main

import (
	"fmt"
	"io"
	"strings"
)

// tooBusy is the share of its processors, in percent, above which the app may have been what held a generator up.
const tooBusy = 90

// write writes a Markdown table and every bar that was missed. The error is errMissed when there was one, and
// another when it was the app that could do no more.
func (f figures) write(w io.Writer) error {
	generators := []string{"agent", "vegeta", "fortio"}
	var b strings.Builder
	if f.plan.rounds > 0 {
		fmt.Fprintf(&b, "Median of %d rounds (least–most):\n\n", f.plan.rounds)
	}
	fmt.Fprintf(&b, "| | %s | agent / vegeta | bar |\n|%s\n",
		strings.Join(generators, " | "), strings.Repeat("---|", len(generators)+3))
	var misses []string
	for _, row := range f.rows() {
		fmt.Fprintf(&b, "| %s |", row.title)
		for _, g := range generators {
			fmt.Fprintf(&b, " %s |", spread(row.by[g], row.digits))
		}
		fmt.Fprintf(&b, " %s | %s |\n", spread(row.ratios(), 2), row.bar)
		if miss := row.missed(); miss != "" {
			misses = append(misses, miss)
		}
	}
	if len(misses) > 0 {
		b.WriteByte('\n')
	}
	for _, miss := range misses {
		fmt.Fprintf(&b, "missed: %s\n", miss)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if len(misses) > 0 {
		return errMissed
	}
	for _, conn := range conns() {
		row := f.app[conn]
		for _, g := range []string{"agent", "vegeta"} {
			if share := median(row.by[g]); share > tooBusy {
				return fmt.Errorf("the app may have held %s up: %s: %.0f", g, row.title, share)
			}
		}
	}
	return nil
}
