package page

import (
	"slices"

	"example.com/rollcall/harness/verdict"
)

// Glance returns two runs in one mode to show at the head of the page: one whose clients had to lose requests, and one without a loss; nil
// if there are no two such runs, or if a run needs a look, which comes first then.
func (v view) Glance() []run {
	if len(v.Attention) > 0 {
		return nil
	}
	for _, mode := range v.Modes {
		var shown []run
		for _, s := range v.Scenarios {
			if r := s.In(mode); r != nil && r.Chart != nil && r.Outcome == verdict.Pass && r.Disruption == nil {
				shown = append(shown, *r)
			}
		}
		lossy := slices.IndexFunc(shown, run.MustLose)
		if lossy < 0 {
			continue
		}
		clean := slices.DeleteFunc(slices.Clone(shown), func(r run) bool { return r.MustLose() || r.Failed() > 0 })
		// the ids of such pairs differ by a prefix: undrained-rolling-update, drained-rolling-update
		twin := max(0, slices.IndexFunc(clean, func(r run) bool { return "un"+r.ID == shown[lossy].ID }))
		if len(clean) > 0 {
			return []run{shown[lossy], clean[twin]}
		}
	}
	return nil
}

// Lost says what the clients of a run at the head of the page lost.
func (r run) Lost() string {
	if r.Failed() > 0 {
		return r.share() + " requests failed, as expected"
	}
	return r.share() + " requests failed"
}
