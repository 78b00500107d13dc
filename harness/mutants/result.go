package mutants

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict"
)

// A Result is the result of a mutant in a mode.
type Result struct {
	Mutant   string `json:"mutant"`
	Mode     string `json:"mode"`
	Expected string `json:"expected"` // outcome
	Cause    string `json:"cause"`    // that has to be named
	Got      string `json:"got"`      // outcome, and all causes named
	Killed   bool   `json:"killed"`
	// Of the last time that it was killed; empty: it never was.
	Commit     string `json:"commit"`
	Kubernetes string `json:"kubernetes"` // version
}

// Judged returns the result for the verdict of the last recording.
func (m Mutant) Judged(mode string, v verdict.Verdict, recordings int) Result {
	named := causes(v)
	if recordings > 1 {
		named = append(named, Retry)
	}
	got := v.Outcome.String()
	if len(named) > 0 {
		got += ": " + strings.Join(named, ", ")
	}
	return Result{Mutant: m.ID, Mode: mode, Expected: m.Want.String(), Cause: m.Cause, Got: got,
		Killed: v.Outcome == m.Want && slices.Contains(named, m.Cause)}
}

// Failed returns the result of a mutant that could not be judged.
func (m Mutant) Failed(mode string, err error) Result {
	return Result{Mutant: m.ID, Mode: mode, Expected: m.Want.String(), Cause: m.Cause, Got: strings.ReplaceAll(err.Error(), "\n", "; ")}
}

// causes returns the ids of the rules and the reasons for distrust that a verdict rests on.
func causes(v verdict.Verdict) []string {
	var named []string
	for _, r := range v.Distrust {
		named = append(named, r.ID)
	}
	for _, f := range v.Findings {
		if f.Outcome == v.Outcome && v.Outcome != verdict.Pass {
			named = append(named, f.Rule)
		}
	}
	slices.Sort(named)
	return slices.Compact(named)
}

// Line returns the result as one line.
func (r Result) Line() string {
	did := "survived"
	if r.Killed {
		did = "killed"
	}
	return fmt.Sprintf("%-8s %-26s %-8s want %s: %s; got %s", did, r.Mutant, r.Mode, r.Expected, r.Cause, r.Got)
}

// Table returns a line for each result, and one with how many mutants were killed.
func Table(results []Result) string {
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintln(&b, r.Line())
	}
	fmt.Fprintf(&b, "%d of %d mutants were killed with the right cause\n", len(results)-Survivors(results), len(results))
	return b.String()
}

// Survivors returns how many mutants were not killed.
func Survivors(results []Result) (n int) {
	for _, r := range results {
		if !r.Killed {
			n++
		}
	}
	return n
}

// Merge writes results into a file, where they replace those of the same mutants and modes. Other results stay, except those of
// mutants that are not in the catalogue. The order is the catalogue's. A mutant that survived keeps the commit and version of
// the last time that it was killed.
func Merge(file string, results []Result) (all []Result, _ error) {
	var before []Result
	if err := store.ReadJSON(file, &before); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, mode := range dataplane.Names() {
		for _, m := range All() {
			is := func(r Result) bool { return r.Mutant == m.ID && r.Mode == mode }
			now, was := slices.IndexFunc(results, is), slices.IndexFunc(before, is)
			switch {
			case now < 0 && was < 0:
			case now < 0:
				all = append(all, before[was])
			default:
				r := results[now]
				if was >= 0 && !r.Killed {
					r.Commit, r.Kubernetes = before[was].Commit, before[was].Kubernetes
				}
				all = append(all, r)
			}
		}
	}
	return all, store.WriteJSON(file, all)
}
