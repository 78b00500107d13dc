package verdict

import (
	"fmt"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// KeptConnections expects that keep-alive connections which a version answered before the rollout stay with their pod: no
// other pod answers on one, and every lane still uses one in the last 5 s of the load.
func KeptConnections(version string) evidence.Expectation {
	return evidence.Expectation{Rule: keptConnections().ID, Versions: []string{version}}
}

func keptConnections() Rule {
	return Rule{
		ID: "kept-connections", Claim: "clients' keep-alive connections stay with their pod to the end",
		Lanes: KeepAliveLanes, judge: judgeKeptConnections,
		Unit: "connection", Untested: "no keep-alive connection was there before the rollout began",
		exposed: connectionsBefore,
		needs:   underLoad(evidence.AboutReplies),
	}
}

// keptBefore are a lane's connections that the version answered before the rollout began.
func keptBefore(x evidence.Expectation, tl timeline.Timeline, lane timeline.Lane) (before []timeline.Connection) {
	begun, ok := tl.Mark(evidence.RolloutBegun)
	for _, c := range lane.Connections {
		first := lane.SentAfter(c.First, begun)
		if ok && len(x.Versions) == 1 && c.Version == x.Versions[0] && first.Length+first.Uncertainty < 0 {
			before = append(before, c)
		}
	}
	return before
}

func connectionsBefore(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) (n int) {
	for _, lane := range lanes {
		n += len(keptBefore(x, tl, lane))
	}
	return n
}

func judgeKeptConnections(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	if _, ok := tl.Mark(evidence.LoadEnded); !ok {
		return missing(evidence.LoadEnded)
	}
	from, _ := lastSeconds(tl)
	before, stayed := 0, 0
	for _, lane := range lanes {
		its, last := keptBefore(x, tl, lane), 0
		for _, c := range its {
			if c.Moved {
				return Finding{
					Outcome:  Fail,
					Headline: fmt.Sprintf("a keep-alive connection of %s to %s was answered by another pod later", lane.ID, c.Pod),
					Because: fmt.Sprintf("a keep-alive connection of %s, first used at %s, was answered by %s and later by another pod",
						lane.ID, phrase.Seconds(c.First), c.Pod),
				}
			}
			if c.Last >= time.Duration(from)*time.Second {
				last++
			}
		}
		if len(its) > 0 && last == 0 {
			return Finding{
				Outcome: Fail,
				Headline: fmt.Sprintf("0 of %s of %s from before the rollout were still used at the end",
					phrase.Count(len(its), "connection"), lane.ID),
				Because: fmt.Sprintf("0 of %s of %s from before the rollout were still answered from %ds on",
					phrase.Count(len(its), "connection"), lane.ID, from),
			}
		}
		before, stayed = before+len(its), stayed+last
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("%d of %s from before the rollout were still answered in the last %d s, by the pod of before",
		stayed, phrase.Count(before, "connection"), shareWindow)}
}
