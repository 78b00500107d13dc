package verdict

import (
	"fmt"
	"slices"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// byStray has a finding about replies that were not to be, of so many, name the stray pod that gave some of them, and why it gets
// requests.
func byStray(f Finding, others []timeline.Replies, total int, tl timeline.Timeline) Finding {
	others = slices.DeleteFunc(slices.Clone(others), func(r timeline.Replies) bool { return !r.Stray })
	i := slices.IndexFunc(tl.Events, func(e evidence.Event) bool { return e.Kind == evidence.StrayPod })
	if len(others) == 0 || i < 0 {
		return f
	}
	stray := tl.Events[i]
	of := fmt.Sprintf("%s of %s replies were by pod %s of %s", phrase.Number(replies(others)), phrase.Number(total), stray.By.Pod,
		versionsOf(others))
	f.Headline = phrase.Headline(of+": "+stray.Detail, of+", in EndpointSlice "+stray.Object, of, f.Headline)
	f.Because += fmt.Sprintf("; pod %s is not of the rollout: %s; it is in EndpointSlice %s", stray.By.Pod, stray.Detail, stray.Object)
	f.Facts = append(f.Facts, Detail{"pod", stray.By.Pod}, Detail{"why it gets requests", stray.Detail}, Detail{"EndpointSlice", stray.Object})
	return f
}
