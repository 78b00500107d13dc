// Package compare finds how the runs of two sides differ, in outcomes and in numbers that a test shows to have moved. By that it decides
// whether a candidate cluster may take the place of its baseline: go or no-go, with every reason. It also keeps the results of scenarios
// over many runs, in an append-only history, and shows how they and their numbers went.
package compare

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// A Side is one run of either side.
type Side struct {
	Folder string // of the run
	Report model.Report
	Notes  []string // what to know about where the report is from
}

// Open opens the run folder dir. All evidence is judged by the rules of this build, so that both sides are judged alike. What cannot be
// read any more is taken from the report.json of then, and Notes say so. The error, one line, says that the folder has neither.
func Open(dir string) (Side, error) {
	now, err := reports.Load(dir)
	then, errThen := reports.Read(dir)
	s := Side{Folder: dir, Report: now}
	switch {
	case err != nil && errors.Is(errThen, fs.ErrNotExist):
		return Side{}, err
	case err != nil && errThen != nil:
		return Side{}, errThen
	case err != nil:
		s.Report = then
		if then.Run.Ended.IsZero() && !slices.Contains(then.Run.Broken, reports.CutOff) { // it is of an earlier build
			s.Report.Run.Broken = append(slices.Clip(then.Run.Broken), reports.CutOff)
		}
		s.note("its evidence is gone, and it is taken from its %s alone, by the rules of build %s", reports.ReportFile, then.Run.Version)
	case errThen == nil:
		s.patch(dir, then)
	}
	for _, broken := range s.Report.Run.Broken {
		s.note("it broke: %s", broken)
	}
	if again := s.Report.JudgedAgain; again != "" {
		s.note("%s", again)
	}
	return s, nil
}

func (s *Side) note(form string, args ...any) { s.Notes = append(s.Notes, fmt.Sprintf(form, args...)) }

// patch takes from then, the report that was written, what is gone or damaged in the evidence in dir.
func (s *Side) patch(dir string, then model.Report) {
	s.Report.Scenarios = slices.Clone(s.Report.Scenarios)
	for _, was := range then.Scenarios {
		i := slices.IndexFunc(s.Report.Scenarios, func(now model.Scenario) bool { return now.Name() == was.Name() && now.Mode == was.Mode })
		if i < 0 {
			s.note("the evidence of %s in %s is gone, and it is taken from %s", was.Name(), was.Mode, reports.ReportFile)
			s.Report.Scenarios = append(s.Report.Scenarios, was)
			continue
		}
		now := s.Report.Scenarios[i]
		if now.Outcome == verdict.Inconclusive && was.Outcome != verdict.Inconclusive &&
			damaged(filepath.Join(dir, filepath.FromSlash(now.Evidence))) {
			s.note("the evidence of %s in %s cannot be read any more, and it is taken from %s: %s", was.Name(), was.Mode, reports.ReportFile,
				now.Because)
			s.Report.Scenarios[i] = was
		}
	}
	for _, was := range then.Clusters {
		if !slices.ContainsFunc(s.Report.Clusters, func(c evidence.Cluster) bool { return c.Mode == was.Mode }) {
			s.Report.Clusters = append(s.Report.Clusters, was)
		}
	}
}

func damaged(folder string) bool {
	ev, err := store.Read(folder)
	return err != nil || len(ev.Damage) > 0
}

// Modes lists the modes of the side's scenarios, in their order.
func (s Side) Modes() []string {
	return model.Distinct(s.Report.Scenarios, func(s model.Scenario) string { return s.Mode })
}

// A Pair is a mode of side A and the mode of side B to compare it with.
type Pair struct{ A, B string }

// becomes stands between the modes of a pair.
const becomes = " → "

func (p Pair) String() string {
	if p.A == p.B {
		return p.A
	}
	return p.A + becomes + p.B
}

// ParsePairs reads texts such as "iptables:nftables", or a single mode.
func ParsePairs(texts []string) (pairs []Pair, err error) {
	for _, text := range texts {
		pair, err := parsePair(text)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair)
	}
	return pairs, nil
}

func parsePair(s string) (Pair, error) {
	a, b, two := strings.Cut(s, ":")
	if !two {
		b = a
	}
	if a == "" || b == "" || strings.Contains(b, ":") {
		return Pair{}, fmt.Errorf("--modes=%s: it is not a pair of modes: name two, such as iptables:nftables", s)
	}
	return Pair{a, b}, nil
}

func (p Pair) inA() string { return p.A }
func (p Pair) inB() string { return p.B }

// candidateMode returns the mode of side B in the text of a pair.
func candidateMode(modes string) string {
	if _, b, two := strings.Cut(modes, becomes); two {
		return b
	}
	return modes
}
