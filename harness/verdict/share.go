package verdict

import (
	"fmt"
	"math"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

func judgeStillServes(x evidence.Expectation, tl timeline.Timeline) Finding {
	ended, ok := tl.Mark(evidence.LoadEnded)
	lanes := lanesOn(x, tl)
	if !ok || len(lanes) == 0 || len(x.Versions) != 1 {
		return Finding{Because: fmt.Sprintf("%d lanes with %s connections and an end of the load were seen", len(lanes), x.Conn)}
	}
	least, to := 100.0, int(ended/time.Second)
	from := max(0, to-shareWindow)
	for _, lane := range lanes {
		of, total := repliesIn(lane, x.Versions[0], from, to)
		if total == 0 {
			return Finding{Because: fmt.Sprintf("%s got 0 replies to requests sent from %ds to %ds", lane.ID, from, to)}
		}
		part := 100 * float64(of) / float64(total)
		if part < float64(x.Percent) {
			return Finding{Outcome: Fail, Because: fmt.Sprintf("of %s on %s to requests sent from %ds to %ds %.1f %% were by %s, at least %d %% expected",
				count(total, "reply"), lane.ID, from, to, part, x.Versions[0], x.Percent)}
		}
		least = min(least, part)
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("%s gave %.1f %% or more of the replies on %s in the last %d s of the load, at least %d %% expected",
		x.Versions[0], least, count(len(lanes), "lane"), shareWindow, x.Percent)}
}

// repliesIn counts the good replies on a lane to requests sent in some seconds, and those by a version.
func repliesIn(lane timeline.Lane, version string, from, to int) (of, total int) {
	for _, v := range lane.Versions() {
		n := sum(lane.RepliesOf(v).PerSecond, from, to)
		total += n
		if v == version {
			of += n
		}
	}
	return of, total
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
		for begin := int(from/time.Second) + 1; time.Duration(begin+shareWindow)*time.Second <= ended; begin += shareWindow {
			of, total := repliesIn(lane, x.Versions[0], begin, begin+shareWindow)
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
