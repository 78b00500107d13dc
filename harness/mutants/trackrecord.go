package mutants

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict/phrase"
)

// A TrackRecord has the outcomes of suite regressions on releases of Kubernetes with and without their bugs: one entry for each scenario,
// mode and side (affected or not).
type TrackRecord []TrackEntry

// ReadTrackRecord reads the file of a record; one that does not exist is empty.
func ReadTrackRecord(file string) (r TrackRecord, _ error) {
	if err := store.ReadJSON(file, &r); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return r, nil
}

// With returns the record with an entry added, which replaces the one of the same scenario, mode and side.
func (r TrackRecord) With(e TrackEntry) TrackRecord {
	return append(slices.DeleteFunc(slices.Clone(r), func(o TrackEntry) bool { return o.beside(e) && o.Affected == e.Affected }), e)
}

// Table returns the record as Markdown, sorted by bug: a row for each scenario and mode, with both sides.
func (r TrackRecord) Table() string {
	var b strings.Builder
	b.WriteString("| bug | component | mode | affected: version, outcome and cause | tries | red | s | fixed: version, outcome | s |\n" +
		"|---|---|---|---|---|---|---|---|---|\n")
	for _, e := range slices.CompactFunc(slices.SortedFunc(slices.Values(r), func(a, b TrackEntry) int {
		return cmp.Or(strings.Compare(a.Bug, b.Bug), strings.Compare(a.Scenario, b.Scenario), strings.Compare(a.Mode, b.Mode))
	}), TrackEntry.beside) {
		b.WriteString(r.row(e))
	}
	return b.String()
}

// beside reports whether another entry has the same scenario and mode.
func (e TrackEntry) beside(o TrackEntry) bool { return o.Scenario == e.Scenario && o.Mode == e.Mode }

// row returns the row of an entry's scenario and mode. A side that was not run is a dash.
func (r TrackRecord) row(of TrackEntry) string {
	affected, fixed := [4]string{"–", "–", "–", "–"}, [2]string{"–", "–"}
	for _, e := range r {
		switch seconds := fmt.Sprintf("%.0f", e.Seconds); {
		case !e.beside(of):
		case e.Affected:
			affected = [4]string{strings.TrimSuffix(e.Version+": "+e.result()+": "+e.Cause, ": "), fmt.Sprint(e.Tries), fmt.Sprint(e.RightTries),
				seconds}
		default:
			fixed = [2]string{e.Version + ": " + e.result(), seconds}
		}
	}
	name := fmt.Sprintf("[%s](https://github.com/kubernetes/kubernetes/issues/%s) %s", of.Bug, strings.TrimPrefix(of.Bug, "k/k#"), of.Scenario)
	cells := []string{name, of.Component, of.Mode}
	for _, cell := range slices.Concat(affected[:], fixed[:]) {
		cells = append(cells, strings.ReplaceAll(phrase.Printable(cell), "|", "/"))
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// result returns the outcome, in bold if it is wrong.
func (e TrackEntry) result() string {
	if e.Right {
		return e.Outcome
	}
	return "**" + e.Outcome + "**"
}
