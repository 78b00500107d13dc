package page

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict"
	"rollcall/harness/verdict/phrase"
	"rollcall/reports/model"
)

// A recording is what the page shows of one scenario's evidence.
type recording struct {
	Missing   []string // what could not be read, a sentence each: then there is no chart
	Doubts    []string // in what the recording contradicts itself
	Facts     []fact
	Witnesses []request // that decided a rule, by time sent
	Pods      []pod
	Chart     *chart // nil when there was no load, or something is missing
}

// A fact is what a scenario found out about the cluster.
type fact struct{ Name, Value, At string }

// recall reads the evidence of a scenario in the run folder dir. One that was skipped has none.
func recall(dir string, s model.Scenario) recording {
	if s.Outcome == verdict.Skipped {
		return recording{}
	}
	ev, err := store.Read(filepath.Join(dir, filepath.FromSlash(s.Evidence)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return recording{Missing: []string{s.Evidence + " has no " + evidence.RunFile + ": nothing of it was recorded, or it was taken away"}}
	case err != nil:
		return recording{Missing: []string{strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")}}
	}
	return recount(ev, s)
}

// recount draws the evidence of a scenario.
func recount(ev evidence.Evidence, s model.Scenario) recording {
	tally := newTally(ev.Run, s)
	ev.Hits = tally.listen(ev.Hits)
	tl, err := timeline.Join(ev)
	if err != nil {
		return recording{Missing: []string{err.Error()}}
	}
	r := recording{Facts: factsOf(tl), Pods: podsOf(tl)}
	for _, problem := range tl.Problems {
		if slices.Contains(ev.Damage, problem) || tally.broke(problem) {
			r.Missing = append(r.Missing, problem)
		} else {
			r.Doubts = append(r.Doubts, problem)
		}
	}
	if len(ev.Run.Lanes) > 0 && len(r.Missing) == 0 && !slices.ContainsFunc(tl.Lanes, func(l timeline.Lane) bool { return l.Summary.Requests > 0 }) {
		r.Missing = []string{fmt.Sprintf("0 requests were recorded on %s", phrase.Count(len(ev.Run.Lanes), "lane"))}
	}
	if len(r.Missing) > 0 || len(ev.Run.Lanes) == 0 {
		return r
	}
	points := tally.points(tl)
	r.Witnesses = witnessesOf(points, s, tl)
	r.Chart = newChart(tally, points, r.Pods, tl)
	return r
}

func factsOf(tl timeline.Timeline) []fact {
	var facts []fact
	for _, e := range tl.Events {
		if e.Kind == evidence.Fact {
			facts = append(facts, fact{Name: e.Object, Value: cmp.Or(e.Detail, "nothing"), At: phrase.Seconds(e.At)})
		}
	}
	return facts
}
