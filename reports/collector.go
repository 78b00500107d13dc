package reports

import (
	"cmp"
	"path/filepath"
	"slices"
	"sync"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/reports/model"
)

// A Collector makes the report on a run folder. Of recordings that this process joins and judges, it takes what a report has when they are
// judged, and keeps neither their requests nor their timelines; it reads the others as [Load] does.
type Collector struct {
	dir      string
	observer Observer

	taking sync.Mutex // guards taken
	taken  map[place]taken
}

// A taken is a scenario as it was judged from files.
type taken struct {
	scenario model.Scenario
	files    []kept.File
}

// Collect returns a collector for the run folder dir, which shows every recording to the observer; that may be nil.
func Collect(dir string, observer Observer) *Collector {
	return &Collector{dir: dir, observer: cmp.Or[Observer](observer, nobody{}), taken: map[place]taken{}}
}

// Reading is called before a recording of the run folder is joined; several may be at a time. Of what it returns, show is called as
// [timeline.JoinShowing] says, and judged when the recording is judged.
func (c *Collector) Reading(run evidence.Run) (show func(evidence.Hit, error), judged func(kept.Recording)) {
	show, observed := c.observer.Reading(run)
	return show, func(rec kept.Recording) {
		at := placeOf(rec.Run)
		s := newScenario(at)
		fill(&s, rec)
		observed(s, rec)
		c.taking.Lock()
		defer c.taking.Unlock()
		c.taken[at] = taken{s, rec.Files}
	}
}

// Report returns the report, and keeps the verdicts of recordings that it judges.
func (c *Collector) Report() (model.Report, error) {
	l := newLoader(c.dir, c.observer)
	l.taken, l.keeps = c.take, true
	return l.load()
}

// take returns the scenario at a place, if its recording was judged in this process and is still the same.
func (c *Collector) take(at place) (s model.Scenario, ok bool) {
	c.taking.Lock()
	was, ok := c.taken[at]
	c.taking.Unlock()
	var run evidence.Run
	if !ok || store.ReadJSON(filepath.Join(at.in(c.dir), evidence.RunFile), &run) != nil || !slices.Equal(was.files, kept.FilesOf(run)) {
		return s, false
	}
	was.scenario.Seconds = seconds(run.Length) // with the clean-up
	return was.scenario, true
}
