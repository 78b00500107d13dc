package page

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// A recording is what the page shows of one scenario's evidence.
type recording struct {
	Missing   []string // what could not be read, a sentence each: then there is no chart
	Doubts    []string // where the recording contradicts itself
	Notes     []note
	Witnesses []request // requests that decided a rule, by time sent
	Pods      []pod
	Chart     *chart // nil when there was no load, or something is missing
}

// A note is what a scenario found out about the cluster.
type note struct{ Name, Value, At string }

// Reading counts the replies of a recording while it is joined, and keeps what the page shows of its scenario.
func (p *Page) Reading(run evidence.Run) (show func(evidence.Hit, error), judged func(model.Scenario, kept.Recording)) {
	t := newReplyCounter(run)
	return t.count, func(s model.Scenario, rec kept.Recording) {
		if s.Ran() {
			p.keep(s, newRecording(s, rec, t))
		}
	}
}

// Unread keeps why nothing of a scenario is shown.
func (p *Page) Unread(s model.Scenario, err error) {
	why := strings.ReplaceAll(err.Error(), p.dir+string(filepath.Separator), "")
	if errors.Is(err, fs.ErrNotExist) {
		why = s.Evidence + " has no " + evidence.RunFile + ": nothing of it was recorded, or it was taken away"
	}
	p.keep(s, recording{Missing: []string{why}})
}

func (p *Page) keep(s model.Scenario, r recording) {
	p.keeping.Lock()
	defer p.keeping.Unlock()
	p.recordings[s.Evidence] = r
}

func newRecording(s model.Scenario, rec kept.Recording, t *replyCounter) recording {
	tl := rec.Timeline
	r := recording{Notes: notesIn(tl), Pods: podsOf(tl)}
	for _, p := range tl.Problems {
		if p.Damage {
			r.Missing = append(r.Missing, p.Text)
		} else {
			r.Doubts = append(r.Doubts, p.Text)
		}
	}
	lanes := len(rec.Run.Lanes)
	sent := slices.ContainsFunc(tl.Lanes, func(l timeline.Lane) bool { return l.Summary.Requests > 0 })
	asked := slices.ContainsFunc(rec.Run.Lanes, func(l evidence.Lane) bool { return !l.Steps }) // steps may end before they send any
	if asked && len(r.Missing) == 0 && !sent {
		r.Missing = []string{fmt.Sprintf("0 requests were recorded on %s", phrase.Count(lanes, "lane"))}
	}
	if len(r.Missing) > 0 || lanes == 0 {
		return r
	}
	shown := pointsOf(tl, s)
	r.Witnesses = witnessesOf(shown, s, tl)
	r.Chart = newChart(t, shown, r.Pods, tl)
	r.Chart.disrupt(rec.Run, tl)
	r.Chart.waits(tl)
	return r
}

// pointsOf lists every hit that failed, was sent more than once or decided a rule, by time sent.
func pointsOf(tl timeline.Timeline, s model.Scenario) []timeline.Hit {
	all := slices.Concat(timeline.Failed(tl.Lanes), timeline.Repeated(tl.Lanes))
	for _, rule := range s.Rules {
		for _, w := range rule.Witnesses {
			if h, ok := tl.Find(w.Lane, w.Seq); ok {
				all = append(all, h)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b timeline.Hit) int {
		return cmp.Or(cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Seq, b.Seq))
	})
	return slices.CompactFunc(all, func(a, b timeline.Hit) bool { return a.Lane == b.Lane && a.Seq == b.Seq })
}

func notesIn(tl timeline.Timeline) []note {
	var notes []note
	for _, e := range tl.Facts() {
		notes = append(notes, note{Name: e.Object, Value: cmp.Or(e.Detail, "nothing"), At: phrase.Seconds(e.At)})
	}
	return notes
}
