package verdict

import (
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/timeline"
)

// failing are the failed requests of some kind: surely sent in a window, and of those the ones that are as asked. That no pod could
// answer, or which pod a request was led to, may rest on what was not seen.
type failing struct {
	in     func(timeline.Timeline) []timeline.Window // nil: at any time
	before time.Duration                             // the end of the window
	is     func(asked, timeline.Hit) bool            // nil: any
	whole  bool                                      // whether they are such rests on what was not seen too
}

func (w failing) rows(a asked) found {
	var windows []timeline.Window
	if w.in != nil {
		windows = w.in(a.tl)
	}
	f, all := found{whole: w.whole}, 0
	for _, lane := range a.lanes {
		all += len(lane.Failed)
		for _, h := range lane.Failed {
			if (w.in == nil || lane.SentIn(h, windows, w.before)) && (w.is == nil || w.is(a, h)) {
				f.hits = append(f.hits, h)
			}
		}
	}
	slices.SortStableFunc(f.hits, bySent)
	if f.count = len(f.hits); all > f.count {
		f.facts = []Detail{{"failed otherwise", fmt.Sprint(all - f.count)}}
	}
	return f
}
