package mutants

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"rollcall/harness/sharedfile"
	"rollcall/harness/verdict/phrase"
)

// A TrackRecord is what became of the scenarios of suite regressions on releases of Kubernetes with and without their bugs: entries, each
// of another bug, mode and side.
type TrackRecord []TrackEntry

// ReadTrackRecord reads a file that Write wrote; one that is not there is empty.
func ReadTrackRecord(file string) (r TrackRecord, err error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return nil, fmt.Errorf("track record: %s: %w", file, err)
	}
	return r, nil
}

// Write writes the record as JSON, whole or not at all.
func (r TrackRecord) Write(file string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return sharedfile.Write(file, append(data, '\n'), 0o644)
}

// With is the record with an entry, in the place of the one of the same scenario, mode and side.
func (r TrackRecord) With(e TrackEntry) TrackRecord {
	same := func(o TrackEntry) bool {
		return o.Scenario == e.Scenario && o.Mode == e.Mode && o.Affected == e.Affected
	}
	if i := slices.IndexFunc(r, same); i >= 0 {
		r = slices.Clone(r)
		r[i] = e
		return r
	}
	return append(slices.Clip(r), e)
}

// Table is the record as Markdown: a row for each scenario and mode, with what both sides came to, by bug.
func (r TrackRecord) Table() string {
	var b strings.Builder
	b.WriteString("| bug | component | mode | affected: version, outcome and cause | s | fixed: version, outcome | s |\n|---|---|---|---|---|---|---|\n")
	for _, e := range slices.SortedFunc(slices.Values(r), func(a, b TrackEntry) int {
		return cmp.Or(strings.Compare(a.Bug, b.Bug), strings.Compare(a.Scenario, b.Scenario), strings.Compare(a.Mode, b.Mode))
	}) {
		i := slices.IndexFunc(r, e.otherSide)
		switch {
		case i < 0 && e.Affected:
			b.WriteString(row(&e, nil))
		case i < 0:
			b.WriteString(row(nil, &e))
		case e.Affected:
			b.WriteString(row(&e, &r[i]))
		}
	}
	return b.String()
}

// otherSide reports whether another entry is of the same scenario and mode on the other side.
func (e TrackEntry) otherSide(o TrackEntry) bool {
	return o.Scenario == e.Scenario && o.Mode == e.Mode && o.Affected != e.Affected
}

// row is what the two sides came to; one that was not run is nil.
func row(affected, fixed *TrackEntry) string {
	of, cells := affected, []string{"–", "–", "–", "–"}
	if affected != nil {
		cells[0], cells[1] = strings.TrimSuffix(affected.Version+": "+affected.result()+": "+affected.Cause, ": "), seconds(affected)
	} else {
		of = fixed
	}
	if fixed != nil {
		cells[2], cells[3] = fixed.Version+": "+fixed.result(), seconds(fixed)
	}
	name := fmt.Sprintf("[%s](https://github.com/kubernetes/kubernetes/issues/%s) %s", of.Bug, strings.TrimPrefix(of.Bug, "k/k#"), of.Scenario)
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(phrase.Printable(cell), "|", "/")
	}
	return "| " + strings.Join(append([]string{name, of.Component, of.Mode}, cells...), " | ") + " |\n"
}

// result is the outcome, marked where it is not the one that it should be.
func (e TrackEntry) result() string {
	if e.Right {
		return e.Outcome
	}
	return "**" + e.Outcome + "**"
}

func seconds(e *TrackEntry) string { return fmt.Sprintf("%.0f", e.Seconds) }
