package advice

import (
	"fmt"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

var releaseTakenBack = advice{
	code: verdict.Code{
		Code: "RC3037", ID: "release-taken-back",
		Causes: "no fault of what clients saw: pods of another version came, got ready and ended again, and the app kept the version that it had. The " +
			"release was aborted, or rolled back.",
		Do: "look at why the release was taken back; its controller may wait for a version that will not come.",
	},
	says: func(a *advisedApp) (sign, remedy string) {
		came := a.seen[timeline.TakenBack].Count
		if came == 0 {
			return "", ""
		}
		return fmt.Sprintf("%s of another version got ready and ended again: the release was taken back, and the app kept its version",
			phrase.Count(came, "pod")), "look at why the release was taken back"
	},
}

var oneReady = advice{
	code: verdict.Code{
		Code: "RC3036", ID: "one-ready",
		Causes: "of several pods, one alone was ready at any time: a readiness probe that only a leader passes. A rollout that waits for a new pod to " +
			"get ready before an old one ends never ends.",
		Do: "have readiness say that a pod can serve, and choose the leader otherwise; with such a probe, let the old pod go first (maxSurge 0 and " +
			"maxUnavailable 1).",
	},
	says: func(a *advisedApp) (sign, remedy string) {
		pods := a.seen[timeline.OneReady].Count
		if pods == 0 {
			return "", ""
		}
		return fmt.Sprintf("of %s one alone was ready at any time before the rollout, as if only a leader passed the probe", phrase.Count(pods, "pod")),
			"have readiness say that a pod can serve, or let the old pod go first (maxSurge 0 and maxUnavailable 1)"
	},
}
