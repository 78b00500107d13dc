package run

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict/kept"
)

// A Reading is called with each recording before it is joined; several goroutines may call it at a time. Of what it returns, show is called
// as [timeline.JoinShowing] says, and judged when the recording is judged: once, so that what a report shows of a recording is made then.
type Reading func(evidence.Run) (show func(evidence.Hit, error), judged func(kept.Recording))

// judge reads, joins and judges the recording in a folder.
func (r Reading) judge(folder string) (kept.Recording, error) {
	if r == nil {
		return kept.Judge(folder, nil)
	}
	var judged func(kept.Recording)
	rec, err := kept.Judge(folder, func(run evidence.Run) (show func(evidence.Hit, error)) {
		show, judged = r(run)
		return show
	})
	if err == nil {
		judged(rec)
	}
	return rec, err
}
