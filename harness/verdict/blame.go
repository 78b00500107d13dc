package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

// blame says, of those failed requests over new connections whose node's rules were observed, how many a longer drain
// would have saved: those sent while the rules led to a pod that had been told to exit. The others were lost although no
// rule led to such a pod any more. It is empty when nothing is known of any.
func blame(failed []timeline.Hit, tl timeline.Timeline) string {
	observed, on, stays := tl.Observed(), map[string]timeline.Lane{}, tl.StaleRules()
	for _, lane := range tl.LanesWhere(evidence.LaneKind.FollowsRules) {
		on[lane.ID] = lane
	}
	late, otherwise := 0, 0
	var longest timeline.StaleRule
	for _, h := range failed {
		lane, follows := on[h.Lane]
		if !follows || !slices.Contains(observed, lane.Node) {
			continue
		}
		during := -1
		for i, s := range stays {
			if s.Node == lane.Node && h.Sent <= s.To+s.Uncertainty && h.End() >= s.From-s.Uncertainty && (during < 0 || s.Lag > stays[during].Lag) {
				during = i
			}
		}
		if during < 0 {
			otherwise++
			continue
		}
		late++
		if stays[during].Lag > longest.Lag {
			longest = stays[during]
		}
	}
	var said []string
	if late > 0 {
		said = append(said, fmt.Sprintf("%d over new connections while the rules of their node led to a pod that had been told to exit: %s was %s after its endpoint left, and those of %s led to it for %s, so a drain of %s or more is needed here",
			late, longest.Pod, seconds(longest.Drain), longest.Node, seconds(longest.Lag), enough(longest.Lag)))
	}
	if otherwise > 0 && tl.SigtermsSeen() {
		said = append(said, fmt.Sprintf("%d over new connections although the rules of their node led to no pod that had been told to exit: no drain mends that", otherwise))
	}
	return strings.Join(said, "; ")
}

// enough is a drain that covers a lag: whole seconds, and half a second to spare at least.
func enough(lag time.Duration) time.Duration {
	return (lag + 500*time.Millisecond + time.Second - 1).Truncate(time.Second)
}
