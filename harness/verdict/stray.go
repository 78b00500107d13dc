package verdict

import (
	"fmt"
	"slices"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// strayBehind is the pod that is not of the rollout and gave some of these replies, if one was noted.
func strayBehind(others []timeline.Replies, tl timeline.Timeline) (stray evidence.Event, ok bool) {
	for _, e := range tl.Events {
		gave := func(r timeline.Replies) bool {
			return slices.ContainsFunc(r.Examples, func(h timeline.Hit) bool { return h.By.Pod == e.By.Pod })
		}
		if e.Kind == evidence.StrayPod && slices.ContainsFunc(others, gave) {
			return e, true
		}
	}
	return evidence.Event{}, false
}

// byStray has a finding about such replies name the stray pod among those who gave them, and why it gets requests.
func byStray(f Finding, others []timeline.Replies, total int, tl timeline.Timeline) Finding {
	stray, ok := strayBehind(others, tl)
	if !ok {
		return f
	}
	of := fmt.Sprintf("%s of %s replies were by pod %s of %s", phrase.Number(replies(others)), phrase.Number(total), stray.By.Pod,
		versionsOf(others))
	f.Headline = phrase.Headline(of+": "+stray.Detail, of+", in EndpointSlice "+stray.Object, of, f.Headline)
	f.Because += fmt.Sprintf("; pod %s is not of the rollout: %s; it is in EndpointSlice %s", stray.By.Pod, stray.Detail, stray.Object)
	f.Facts = append(f.Facts, Detail{"pod", stray.By.Pod}, Detail{"why it gets requests", stray.Detail}, Detail{"EndpointSlice", stray.Object})
	return f
}
