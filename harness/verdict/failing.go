package verdict

import (
	"fmt"
	"slices"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// failing selects failed requests: those that were certainly sent in a window and satisfy a condition. That no pod could answer, or
// which pod a request was routed to, may rest on what was not seen.
type failing struct {
	in    func(timeline.Timeline) []timeline.Window // nil: at any time
	is    func(args, timeline.Hit) bool             // the condition; nil: none
	whole bool                                      // the window or the condition also rests on what was not seen
}

func (w failing) rows(a args) found {
	var windows []timeline.Window
	if w.in != nil {
		windows = w.in(a.tl)
	}
	f, all, unclear := found{whole: w.whole}, 0, 0
	for _, lane := range a.lanes {
		all += len(lane.Failed)
		for _, h := range lane.Failed {
			if w.is != nil && !w.is(a, h) {
				continue
			}
			in := timeline.Yes
			if w.in != nil {
				in = lane.SentIn(h, windows)
			}
			switch in {
			case timeline.Yes:
				f.hits = append(f.hits, h)
			case timeline.Unknown:
				unclear++
			case timeline.No:
			}
		}
	}
	slices.SortStableFunc(f.hits, timeline.BySent)
	if f.count = len(f.hits); all > f.count {
		f.facts = []Detail{{"failed otherwise", fmt.Sprint(all - f.count)}}
	}
	if unclear > 0 {
		failed := phrase.Count(unclear, "failed request")
		f.unclear = a.fillOf(unclear, "clocks cannot tell whether "+failed+" {were} sent in that time")
	}
	return f
}
