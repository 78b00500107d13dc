package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A report is what all trials came to.
type report struct{ outcomes []outcome }

// write writes the tables, the totals and every bar that was missed. The error is errMissed when there was one,
// and another when some kind and length could not be measured.
func (r report) write(w io.Writer) error {
	counted := r.counted()
	outages := slices.DeleteFunc(slices.Clone(counted), func(s sample) bool { return s.trial.kind == mixed })
	slices.SortStableFunc(outages, func(a, b sample) int { return cmp.Compare(a.length, b.length) })

	var b strings.Builder
	b.WriteString("Worst error in ms of a measured outage, by its true length:\n\n")
	table{"true length", func(s sample) string { return s.length.String() }, outages}.write(&b)
	b.WriteString("\nThe same by what the servers did:\n\n")
	table{"in the window", func(s sample) string { return string(s.trial.kind) }, counted}.write(&b)
	b.WriteString("\n" + r.totals())
	misses := r.misses()
	for _, miss := range misses {
		fmt.Fprintf(&b, "missed: %s\n", miss)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("accuracy: write report: %w", err)
	}
	if len(misses) > 0 {
		return errMissed
	}
	if rows := r.unmeasured(); len(rows) > 0 {
		return fmt.Errorf("accuracy: the machine was too busy to judge %s", strings.Join(rows, "; "))
	}
	return nil
}

func (r report) counted() []sample {
	var all []sample
	for _, o := range r.outcomes {
		all = append(all, o.counted()...)
	}
	return all
}

func (r report) misses() []string {
	var all []string
	for _, o := range r.outcomes {
		all = append(all, o.broken()...)
	}
	return all
}

// totals says what of all windows and clean runs was found.
func (r report) totals() string {
	var must, found, short, disturbed, lanes, invented, requests int
	for _, o := range r.outcomes {
		disturbed += len(o.samples) - len(o.counted())
		if o.trial.kind == clean && !o.heldUp() {
			lanes++
			invented += len(o.invented)
			requests += o.requests
		}
	}
	for _, s := range r.counted() {
		switch {
		case !s.must():
			short++
		case s.found():
			found++
			must++
		default:
			must++
		}
	}
	return fmt.Sprintf("%d of %d windows of 2/R or longer found; %d shorter ones; %d not counted, as the machine disturbed them\n"+
		"%d clean runs: %d outages invented in %d requests of %d lanes\n", found, must, short, disturbed, cleanRuns, invented, requests, lanes)
}

// unmeasured lists the rows of which every window was disturbed, and those of too few clean runs.
func (r report) unmeasured() []string {
	var rows []string
	missing := make(map[string]int)
	want := func(row string, times int) {
		if _, known := missing[row]; !known {
			rows = append(rows, row)
			missing[row] = times
		}
	}
	for _, o := range r.outcomes {
		if o.trial.kind == clean {
			want(o.trial.row(), cleanRuns)
			if !o.heldUp() {
				missing[o.trial.row()]--
			}
		}
		for _, s := range o.samples {
			want(s.row(), 1)
			if !s.disturbed() {
				missing[s.row()]--
			}
		}
	}
	return slices.DeleteFunc(rows, func(row string) bool { return missing[row] <= 0 })
}
