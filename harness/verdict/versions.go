package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

const (
	oneVersion   = "one of the versions gave 0 replies"
	noNewReply   = "the new version gave no reply"
	noneAnswered = "no request sent after that was answered"
)

// newReplies counts the replies by the new version. Each could have been followed by one of the old version.
func newReplies(a args) int {
	return a.perLane(func(lane timeline.Lane) int { return lane.RepliesOf(a.tl.New).Count })
}

func allReplies(a args) int { return replies(timeline.AllReplies(a.lanes)) }

func repliesSinceMark(a args) int { return replies(a.tl.RepliesSince(a.From, a.lanes)) }

// Serves expects replies by exactly these versions, at least one by each.
func Serves(versions ...string) Expectation { return Expectation{Rule: serves.ID, Versions: versions} }

var serves = Rule{
	ID: "serves", Claim: "clients are answered by every version expected and by no other",
	Lanes: ServiceLanes, Unit: "reply", Untested: "no reply named a version", exposed: allReplies, needs: underLoad(evidence.AboutReplies),
	lack: func(a args) string { return namesNone(a.Versions, "versions") },
	question: none{of: allReplies, did: "{were} by another version than {versions}", rows: func(a args) found {
		if f := otherThan(a.Versions, timeline.AllReplies(a.lanes), "", a.tl); f.count > 0 || allReplies(a) == 0 {
			return f
		}
		return a.unanswering()
	}},
}

// unanswering finds the expected versions that gave no reply.
func (a args) unanswering() found {
	f, total := found{whole: true}, phrase.Count(allReplies(a), "reply")
	f.wordings = []string{fmt.Sprintf("all %s were by %s", total, strings.Join(a.Versions, " and "))}
	var counts []string
	for _, version := range a.Versions {
		n := 0
		for _, r := range timeline.AllReplies(a.lanes) {
			if r.Version == version && !r.Stray {
				n = r.Count
			}
		}
		counts = append(counts, fmt.Sprintf("%s %d", version, n))
		if n > 0 {
			continue
		}
		if f.count++; f.count == 1 {
			f.wordings = []string{fmt.Sprintf("0 of %s were by %s, at least one expected", total, version)}
		}
	}
	f.facts = []Detail{{"replies by version", strings.Join(counts, ", ")}}
	return f
}

// otherThan finds the replies by other versions, or by pods that do not belong to the rollout.
func otherThan(versions []string, all []timeline.Replies, after string, tl timeline.Timeline) found {
	others := slices.DeleteFunc(slices.Clone(all), func(r timeline.Replies) bool {
		return r.Count == 0 || !r.Stray && slices.Contains(versions, r.Version)
	})
	if len(others) == 0 {
		return found{}
	}
	of := describeReplies(others, tl)
	f := found{hits: examples(others), count: replies(others), of: &of}
	by := fmt.Sprintf("%s of %s%s were by %s, not by %s", f.number(), phrase.Count(replies(all), "reply"), after, versionsOf(others),
		strings.Join(versions, " or "))
	strays := slices.DeleteFunc(others, func(r timeline.Replies) bool { return !r.Stray })
	if pod, ok := tl.Stray(); ok && len(strays) > 0 {
		f.facts = append(f.facts, Detail{"pod", pod.By.Pod}, Detail{"why it gets requests", pod.Detail}, Detail{"EndpointSlice", pod.Object})
		stray := fmt.Sprintf("%s of %s were by pod %s of %s", phrase.Number(replies(strays)), phrase.Count(replies(all), "reply"), pod.By.Pod,
			versionsOf(strays))
		f.wordings = []string{stray + ": " + pod.Detail, stray + ", in EndpointSlice " + pod.Object, stray}
	}
	f.wordings = append(f.wordings, by+", "+of.where+of.from, by)
	return f
}

// OnlyServes expects that every request sent from a mark on is answered by one version.
func OnlyServes(version string, from evidence.EventKind) Expectation {
	return Expectation{Rule: onlyServes.ID, Versions: []string{version}, From: from}
}

var onlyServes = Rule{
	ID: "only-serves", Claim: "from the named moment on, clients are answered by one version only",
	Lanes: ServiceLanes, ByClients: onlyServesAfter.ID, Unit: "reply", Untested: noneAnswered, exposed: repliesSinceMark, lack: takesOne,
	needs: untilLoadEnded(evidence.AboutReplies),
	question: none{of: repliesSinceMark, did: "after {from} {were} not by {versions}", all: "after {from} {were} by {versions}",
		rows: func(a args) found {
			all, unclear := a.tl.RepliesSince(a.From, a.lanes), 0
			f := otherThan(a.Versions, all, fmt.Sprintf(" after %s", a.From), a.tl)
			for _, r := range all {
				if r.Stray || !slices.Contains(a.Versions, r.Version) {
					unclear += r.Unclear
				}
			}
			if unclear > 0 {
				f.unclear = fmt.Sprintf("%s by other versions came within %s of %s, so that clocks cannot tell which was first",
					phrase.Count(unclear, "reply"), phrase.Seconds(a.tl.ClockUncertainty()), a.From)
			}
			return f
		}},
}

// OnlyServesAfter expects that every reply to a request sent later than d after a mark, in whole seconds, is by one version. It judges
// instead of OnlyServes where rules cannot be read and the old pods stay, since each node follows the endpoints in its own time.
func OnlyServesAfter(version string, d time.Duration, from evidence.EventKind) Expectation {
	return Expectation{Rule: onlyServesAfter.ID, Versions: []string{version}, From: from, Max: d}
}

var onlyServesAfter = Rule{
	ID: "only-serves-after", Claim: "some time after the named moment, clients are answered by one version only",
	Lanes: ServiceLanes, Unit: "reply", Untested: noneAnswered, exposed: repliesAfter, lack: takesOne,
	needs: untilLoadEnded(evidence.AboutReplies),
	question: none{of: repliesAfter, did: "later than {max} after {from} {were} not by {versions}",
		all: "later than {max} after {from} {were} by {versions}",
		rows: func(a args) found {
			of, total := a.repliesIn(a.Versions[0], secondsAfter(a))
			return found{count: total - of}
		}},
}

// seconds is a range of whole seconds of a recording, [from, to).
type seconds struct{ from, to int }

func (s seconds) String() string { return fmt.Sprintf("from %ds to %ds", s.from, s.to) }

// secondsAfter returns the whole seconds from Max after the expectation's mark to the end of the load.
func secondsAfter(a args) seconds {
	from, ended := a.at(a.From), a.at(evidence.LoadEnded)
	return seconds{int((from+a.Max)/time.Second) + 1, int(ended/time.Second) + 1}
}

func repliesAfter(a args) int {
	_, total := a.repliesIn(a.tl.New, secondsAfter(a))
	return total
}

// repliesIn counts the good replies to requests sent in some seconds: those by a version, and all.
func (a args) repliesIn(version string, in seconds) (of, total int) {
	for _, lane := range a.lanes {
		its, all := repliesIn(lane, version, in)
		of, total = of+its, total+all
	}
	return of, total
}

func repliesIn(lane timeline.Lane, version string, in seconds) (of, total int) {
	for _, v := range lane.Versions() {
		counts, n := lane.RepliesOf(v).PerSecond, 0
		for _, c := range counts[min(in.from, len(counts)):max(min(in.from, len(counts)), min(in.to, len(counts)))] {
			n += c
		}
		total += n
		if v == version {
			of += n
		}
	}
	return of, total
}

// AnswersAfter expects that a version still answers at least n requests that were sent after a mark.
func AnswersAfter(version string, mark evidence.EventKind, n int) Expectation {
	return Expectation{Rule: answersAfter.ID, Versions: []string{version}, From: mark, Count: n}
}

var answersAfter = Rule{
	ID: "answers-after", Claim: "clients are still answered by the named version after the named moment",
	Lanes: ServiceLanes, Unit: "reply", Untested: "no request sent after that moment was answered", exposed: repliesSinceMark,
	lack: takesOne, needs: untilLoadEnded(evidence.AboutReplies),
	question: some{of: repliesSinceMark, least: expectedCount, fails: true, unclear: func(a args) int { return a.stillBy().Unclear },
		did: "after {from} {were} by {versions}",
		rows: func(a args) found {
			by := a.stillBy()
			f := found{hits: by.Examples, count: by.Count}
			if by.Count > 0 {
				f.facts = []Detail{{"last of them sent", phrase.Seconds(by.Last)}}
			}
			return f
		}},
}

// stillBy returns the replies by the expectation's version since its mark.
func (a args) stillBy() timeline.Replies {
	all := a.tl.RepliesSince(a.From, a.lanes)
	i := slices.IndexFunc(all, func(r timeline.Replies) bool { return !r.Stray && slices.Equal(a.Versions, []string{r.Version}) })
	if i < 0 {
		return timeline.Replies{}
	}
	return all[i]
}

const (
	// shareWindow is the length in seconds of a window in which replies are counted together.
	shareWindow = 5
	// shareDeviations is how many standard deviations a share may be off, compared with independent draws. Chance alone
	// exceeds it in one of 1.7 million windows.
	shareDeviations = 5
)

// StillServes expects that a version gives at least percent of the replies on every lane in the last 5 s of the load.
func StillServes(version string, percent int) Expectation {
	return Expectation{Rule: stillServes.ID, Versions: []string{version}, Percent: percent}
}

var stillServes = Rule{
	ID: "still-serves", Claim: "clients are still answered by the named version when the load ends",
	Lanes: ServiceLanes, Unit: "reply", Untested: "no request sent at the end of the load was answered",
	marks: []evidence.EventKind{evidence.LoadEnded}, lack: takesOne, needs: seeing(evidence.AboutReplies),
	exposed: func(a args) int {
		_, total := a.repliesIn(a.tl.Old, lastSeconds(a.tl))
		return total
	},
	question: bound{in: inShares, limits: atLeastPercent, says: saysShare,
		rows: func(a args) []row { return a.shares([]seconds{lastSeconds(a.tl)}) }},
}

func lastSeconds(tl timeline.Timeline) seconds {
	ended, _ := tl.Mark(evidence.LoadEnded)
	to := int(ended / time.Second)
	return seconds{max(0, to-shareWindow), to}
}

// shares returns a row for each lane and window: the version's share of the replies.
func (a args) shares(windows []seconds) (rows []row) {
	for _, lane := range a.lanes {
		for _, in := range windows {
			of, total := repliesIn(lane, a.Versions[0], in)
			rows = append(rows, row{amount: portion(of, total), lane: lane.ID,
				facts: []Detail{{"requests sent", in.String()}, {"replies", phrase.Number(total)}},
				lack:  noneOf(total, fmt.Sprintf("%s got 0 replies to requests sent %s", lane.ID, in))})
		}
	}
	return rows
}

const saysShare = "{versions} gave {percent} of the replies on {lane}"

// Share expects that from a mark on a version gives percent of the replies on every lane, in
// each window of 5 s, as far as chance explains.
func Share(version string, percent int, from evidence.EventKind) Expectation {
	return Expectation{Rule: shareOfReplies.ID, Versions: []string{version}, Percent: percent, From: from}
}

var shareOfReplies = Rule{
	ID: "share", Claim: "a version's share of the replies matches its share of the pods",
	Lanes: ServiceLanes, Unit: "window", Untested: "the load ended too soon for one window of 5 s",
	exposed: func(a args) int { return len(a.lanes) * len(windowsOfShare(a)) }, lack: takesOne,
	needs: untilLoadEnded(evidence.AboutReplies),
	question: bound{in: inShares, says: saysShare, rows: func(a args) []row { return a.shares(windowsOfShare(a)) },
		limits: func(x Expectation, r row) limits { return byChance(float64(x.Percent)/100, r.of) }},
}

// windowsOfShare returns the windows from the expectation's mark to the end of the load.
func windowsOfShare(a args) (windows []seconds) {
	from, ok := a.tl.Mark(a.From)
	ended, over := a.tl.Mark(evidence.LoadEnded)
	if !ok || !over {
		return nil
	}
	from += a.Max // the time that the nodes' rules may take, where they cannot be read
	for begin := int(from/time.Second) + 1; time.Duration(begin+shareWindow)*time.Second <= ended; begin += shareWindow {
		windows = append(windows, seconds{begin, begin + shareWindow})
	}
	return windows
}

// Mixes expects that, at least n times, a client that makes a new connection for every request is answered by the old version
// right after the new one.
func Mixes(n int) Expectation { return Expectation{Rule: mixes.ID, Count: n} }

var mixes = Rule{
	ID: "mixes", Claim: "clients with new connections are answered by the old version again after the new one",
	Lanes: RoutedLanes, Unit: "reply", Untested: "the new version gave no reply on a new connection", exposed: newReplies,
	needs: underLoad(evidence.AboutReplies),
	lack: func(a args) string {
		if a.sum(func(s timeline.LaneSummary) int { return s.ByVersion[a.tl.New] }) == 0 {
			return noNewReply
		}
		return ""
	},
	question: some{rows: func(a args) found { return found{count: a.sum(func(s timeline.LaneSummary) int { return s.Back })} },
		of: newReplies, least: expectedCount, fails: true, did: "by {new} {were} followed by one of {old}"},
}
