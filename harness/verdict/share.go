package verdict

import (
	"fmt"
	"math"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

const (
	// shareWindow is how long replies are counted together, in seconds.
	shareWindow = 5
	// shareDeviations is how many standard deviations of as many independent draws a share may be off. Chance alone
	// exceeds it in one of 1.7 million windows.
	shareDeviations = 5
)

// StillServes expects that a version gives at least percent of the replies on every lane in the last 5 s of the load.
func StillServes(version string, percent int) evidence.Expectation {
	return evidence.Expectation{Rule: stillServes().ID, Versions: []string{version}, Percent: percent}
}

func stillServes() Rule {
	return Rule{
		ID: "still-serves", Claim: "clients are still answered by the named version when the load ends",
		Lanes: ServiceLanes, judge: judgeStillServes,
		Unit: "reply", Untested: "no request sent at the end of the load was answered",
		exposed: lastReplies,
		needs:   fromMark(),
	}
}

func judgeStillServes(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	if _, ok := tl.Mark(evidence.LoadEnded); !ok || len(lanes) == 0 || len(x.Versions) != 1 {
		return undecided(fmt.Sprintf("%d lanes with %s connections and an end of the load were seen", len(lanes), x.Conn))
	}
	version, least := x.Versions[0], 100.0
	from, to := lastSeconds(tl)
	for _, lane := range lanes {
		of, total := repliesIn(lane, version, from, to)
		if total == 0 {
			return noReplies(lane, from, to)
		}
		part := 100 * float64(of) / float64(total)
		if part < float64(x.Percent) {
			return Finding{
				Outcome: Fail,
				Headline: fmt.Sprintf("%s gave %.1f %% of the last replies on %s, at least %d %% expected",
					version, part, lane.ID, x.Percent),
				Facts: shareFacts(lane, total, from, to),
				Because: fmt.Sprintf("of %s on %s to requests sent from %ds to %ds %.1f %% were by %s, at least %d %% expected",
					phrase.Count(total, "reply"), lane.ID, from, to, part, version, x.Percent),
			}
		}
		least = min(least, part)
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("%s gave %.1f %% or more of the replies on %s in the last %d s of the load, "+
		"at least %d %% expected", version, least, phrase.Count(len(lanes), "lane"), shareWindow, x.Percent)}
}

// lastSeconds are the last ones of the load, as [from, to).
func lastSeconds(tl timeline.Timeline) (from, to int) {
	ended, _ := tl.Mark(evidence.LoadEnded)
	to = int(ended / time.Second)
	return max(0, to-shareWindow), to
}

// Share expects that from a mark on a version is given percent of the replies on every lane, as far from it in
// each window of 5 s as chance explains.
func Share(version string, percent int, from evidence.EventKind) evidence.Expectation {
	return evidence.Expectation{Rule: share().ID, Versions: []string{version}, Percent: percent, From: from}
}

func share() Rule {
	return Rule{
		ID: "share", Claim: "clients are answered by the named version as often as its part of the pods",
		Lanes: ServiceLanes, judge: judgeShare,
		Unit: "window", Untested: "the load ended too soon for one window",
		exposed: shareWindows,
		needs:   fromMark(),
	}
}

func judgeShare(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	_, ok := tl.Mark(x.From)
	_, over := tl.Mark(evidence.LoadEnded)
	if !ok || !over || len(x.Versions) != 1 {
		return missing(x.From)
	}
	p, version := float64(x.Percent)/100, x.Versions[0]
	windows, least, most := 0, math.Inf(1), math.Inf(-1)
	for _, lane := range lanes {
		for _, begin := range windowsOfShare(x, tl) {
			of, total := repliesIn(lane, version, begin, begin+shareWindow)
			if total == 0 {
				return noReplies(lane, begin, begin+shareWindow)
			}
			got := float64(of) / float64(total)
			if allowed := shareDeviations * math.Sqrt(p*(1-p)/float64(total)); math.Abs(got-p) > allowed {
				return Finding{
					Outcome: Fail,
					Headline: fmt.Sprintf("%s gave %.1f %% of the replies on %s, expected %d %% ± %.1f",
						version, 100*got, lane.ID, x.Percent, 100*allowed),
					Facts: shareFacts(lane, total, begin, begin+shareWindow),
					Because: fmt.Sprintf("of %s on %s to requests sent from %ds to %ds %.1f %% were by %s, expected %d %% and at most %.1f more or less",
						phrase.Count(total, "reply"), lane.ID, begin, begin+shareWindow, 100*got, version, x.Percent, 100*allowed),
				}
			}
			windows, least, most = windows+1, min(least, got), max(most, got)
		}
	}
	if windows == 0 {
		return undecided(fmt.Sprintf("0 windows of %d s lie between %s and the end of the load", shareWindow, x.From))
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("in %s of %d s %s gave %.1f %% to %.1f %% of the replies, expected about %d %%",
		phrase.Count(windows, "window"), shareWindow, version, 100*least, 100*most, x.Percent)}
}

// windowsOfShare are the seconds at which windows begin, from the mark to the end of the load.
func windowsOfShare(x evidence.Expectation, tl timeline.Timeline) (begins []int) {
	from, ok := tl.Mark(x.From)
	ended, over := tl.Mark(evidence.LoadEnded)
	if !ok || !over {
		return nil
	}
	from += x.Max // that the nodes' rules may take, where they cannot be read
	for begin := int(from/time.Second) + 1; time.Duration(begin+shareWindow)*time.Second <= ended; begin += shareWindow {
		begins = append(begins, begin)
	}
	return begins
}

func noReplies(lane timeline.Lane, from, to int) Finding {
	return undecided(fmt.Sprintf("%s got 0 replies to requests sent from %ds to %ds", lane.ID, from, to))
}

func shareFacts(lane timeline.Lane, total, from, to int) []Detail {
	return []Detail{{"lane", lane.ID}, {"requests sent", fmt.Sprintf("from %ds to %ds", from, to)}, {"replies", phrase.Number(total)}}
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

func sum(counts []int, from, to int) (n int) {
	for _, c := range counts[min(from, len(counts)):min(to, len(counts))] {
		n += c
	}
	return n
}
