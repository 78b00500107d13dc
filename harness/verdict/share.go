package verdict

import (
	"fmt"
	"math"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

// stillWithin is how long before the end of the load the last reply may have been asked for: at the lowest rate
// scenarios use, dozens of requests.
const stillWithin = time.Second

func judgeStillServes(x evidence.Expectation, tl timeline.Timeline) Finding {
	if len(x.Versions) != 1 {
		return Finding{Because: fmt.Sprintf("the rule takes 1 version, got %d", len(x.Versions))}
	}
	ended, ok := tl.Mark(evidence.LoadEnded)
	lanes := lanesOn(x, tl)
	if !ok || len(lanes) == 0 {
		return Finding{Because: fmt.Sprintf("%d lanes with %s connections and an end of the load were seen", len(lanes), x.Conn)}
	}
	for _, lane := range lanes {
		old := lane.RepliesOf(x.Versions[0])
		if old.Count == 0 {
			return Finding{Outcome: Fail, Because: fmt.Sprintf("%s was never answered by %s", lane.ID, x.Versions[0])}
		}
		if ended-old.Last > stillWithin {
			return Finding{Outcome: Fail, Because: fmt.Sprintf("%s was last answered by %s %s before the load ended", lane.ID, x.Versions[0], seconds(ended-old.Last))}
		}
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("%s still answered on %s within %s of the end of the load", x.Versions[0], count(len(lanes), "lane"), seconds(stillWithin))}
}

const (
	// shareWindow is how long replies are counted together, in seconds.
	shareWindow = 5
	// shareDeviations is how many standard deviations of as many independent draws a share may be off. Chance alone
	// exceeds it in one of 1.7 million windows.
	shareDeviations = 5
)

func judgeShare(x evidence.Expectation, tl timeline.Timeline) Finding {
	from, ok := tl.Mark(x.From)
	ended, over := tl.Mark(evidence.LoadEnded)
	if !ok || !over || len(x.Versions) != 1 {
		return Finding{Because: missing(x.From)}
	}
	p := float64(x.Percent) / 100
	windows, least, most := 0, math.Inf(1), math.Inf(-1)
	for _, lane := range lanesOn(x, tl) {
		perSecond := make(map[string][]int)
		for _, version := range lane.Versions() {
			perSecond[version] = lane.RepliesOf(version).PerSecond
		}
		for begin := int(from/time.Second) + 1; time.Duration(begin+shareWindow)*time.Second <= ended; begin += shareWindow {
			total, of := 0, 0
			for version, counts := range perSecond {
				n := sum(counts, begin, begin+shareWindow)
				total += n
				if version == x.Versions[0] {
					of += n
				}
			}
			if total == 0 {
				return Finding{Because: fmt.Sprintf("%s got 0 replies to requests sent from %ds to %ds", lane.ID, begin, begin+shareWindow)}
			}
			got := float64(of) / float64(total)
			if allowed := shareDeviations * math.Sqrt(p*(1-p)/float64(total)); math.Abs(got-p) > allowed {
				return Finding{Outcome: Fail, Because: fmt.Sprintf("of %s on %s to requests sent from %ds to %ds %.1f %% were by %s, expected %d %% and at most %.1f more or less",
					count(total, "reply"), lane.ID, begin, begin+shareWindow, 100*got, x.Versions[0], x.Percent, 100*allowed)}
			}
			windows, least, most = windows+1, min(least, got), max(most, got)
		}
	}
	if windows == 0 {
		return Finding{Because: fmt.Sprintf("0 windows of %d s lie between %s and the end of the load", shareWindow, x.From)}
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("in %s of %d s %s gave %.1f %% to %.1f %% of the replies, expected about %d %%",
		count(windows, "window"), shareWindow, x.Versions[0], 100*least, 100*most, x.Percent)}
}

func sum(counts []int, from, to int) (n int) {
	for _, c := range counts[min(from, len(counts)):min(to, len(counts))] {
		n += c
	}
	return n
}
