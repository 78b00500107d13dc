// Package kept reads recordings, and joins and judges them. It keeps a verdict beside its evidence, in verdict.json, with the build that
// judged and the checksums of what it judged: whoever reads the recording next takes the verdict from there if both are the same.
package kept

import (
	"fmt"
	"path/filepath"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// A Recording is a recording that was joined and judged.
type Recording struct {
	Run      evidence.Run
	Timeline timeline.Timeline
	Verdict  verdict.Verdict
	Files    []File // that it was read from
	// Misfit says why the verdict that was kept was not taken, such as "another build"; empty: it was, or there was none.
	Misfit string

	folder string
	whole  bool // nothing of it is missing or damaged
	taken  bool // the verdict was kept
}

// A Watch is called with the run of a recording before that is joined. It returns what is called with each hit, as
// [timeline.JoinShowing] says.
type Watch func(evidence.Run) func(evidence.Hit, error)

// Read reads and joins the recording in a folder, and takes the verdict that is kept there, or judges the recording if none fits. It writes
// nothing. watch may be nil. An error of the join, one line, comes with the recording's Run.
func Read(folder string, watch Watch, asked ...timeline.HitID) (Recording, error) {
	r, err := join(folder, watch, asked)
	if err != nil {
		return r, err
	}
	if r.Verdict, r.Misfit = r.kept(); !r.taken {
		r.Verdict = verdict.Judge(r.Run, r.Timeline)
	}
	return r, nil
}

// Judge is [Read], and takes no verdict that is kept.
func Judge(folder string, watch Watch, asked ...timeline.HitID) (Recording, error) {
	r, err := join(folder, watch, asked)
	if err == nil {
		r.Verdict = verdict.Judge(r.Run, r.Timeline)
	}
	return r, err
}

func join(folder string, watch Watch, asked []timeline.HitID) (Recording, error) {
	ev, err := store.Read(folder)
	if err != nil {
		return Recording{}, err
	}
	r := Recording{Files: FilesOf(ev.Run), folder: folder, whole: len(ev.Damage) == 0}
	ev = ev.Named()
	r.Run = ev.Run
	show := func(evidence.Hit, error) {}
	if watch != nil {
		show = watch(ev.Run)
	}
	if r.Timeline, err = timeline.JoinShowing(ev, show, asked...); err != nil {
		return r, fmt.Errorf("%s: %w: record it again", filepath.Join(folder, evidence.RunFile), err)
	}
	return r, nil
}
