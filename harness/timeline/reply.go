package timeline

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// Replies sums up the replies of one version, good and bad ones.
type Replies struct {
	Version           string
	Stray             bool // by pods that are not part of the rollout, see [evidence.StrayPod]
	Count             int
	Unclear           int           // not in Count: sent so close to the mark that the clocks cannot tell
	First, Last       time.Duration // sent
	FirstEnd, LastEnd time.Duration // the earliest and latest end of a reply
	Lanes             []string      // sorted
	Examples          []Hit         // the first ones by time sent, at most 20
	PerSecond         []int         // by second since Run.Began in which the request was sent

	latest time.Duration // when the last of the examples was sent
}

// maxExamples is the most examples kept in one [Replies].
const maxExamples = 20

// A bucket is the key by which a lane's replies are counted: the version, whether a stray pod replied, and after how many marks the
// request was certainly and possibly sent. The two differ where it was sent closer to a mark than the clocks can tell.
type bucket struct {
	version           string
	stray             bool
	certain, possible int
}

// AllReplies lists the replies on some lanes, by version, those of stray pods apart.
func AllReplies(lanes []Lane) []Replies {
	return repliesIn(lanes, func(bucket) (in, unclear bool) { return true, false })
}

// RepliesSince lists, as [AllReplies] does, the replies to requests that were sent since a mark. It is empty when the mark is missing.
func (t Timeline) RepliesSince(mark evidence.EventKind, lanes []Lane) []Replies {
	from, ok := t.Mark(mark)
	if !ok {
		return nil
	}
	rank := 0 // how many marks were set up to this one, itself included
	for _, at := range t.marks {
		if at <= from {
			rank++
		}
	}
	return repliesIn(lanes, func(b bucket) (in, unclear bool) { return b.certain >= rank, b.possible >= rank })
}

func repliesIn(lanes []Lane, holds func(bucket) (in, unclear bool)) []Replies {
	sums := make(map[bucket]*Replies) // by version and stray
	for _, lane := range lanes {
		for b, replies := range lane.replies {
			in, unclear := holds(b)
			if !in && !unclear {
				continue
			}
			by := bucket{version: b.version, stray: b.stray}
			sum := sums[by]
			if sum == nil {
				sum = &Replies{Version: b.version, Stray: b.stray}
				sums[by] = sum
			}
			if in {
				sum.merge(*replies, lane.ID)
			} else {
				sum.Unclear += replies.Count
			}
		}
	}
	var all []Replies
	for _, sum := range sums {
		slices.SortFunc(sum.Examples, BySent)
		sum.Examples = sum.Examples[:min(len(sum.Examples), maxExamples)]
		slices.Sort(sum.Lanes)
		sum.Lanes = slices.Compact(sum.Lanes)
		all = append(all, *sum)
	}
	slices.SortFunc(all, func(a, b Replies) int { // within a version, strays last
		return cmp.Or(cmp.Compare(a.Version, b.Version), map[bool]int{true: 1, false: -1}[a.Stray])
	})
	return all
}

func (r *Replies) add(h *evidence.Hit) {
	if r.Count == 0 {
		r.First, r.Last = h.Sent, h.Sent
	}
	r.Count++
	r.First, r.Last = min(r.First, h.Sent), max(r.Last, h.Sent)
	r.FirstEnd, r.LastEnd = min(r.FirstEnd, h.End()), max(r.LastEnd, h.End())
	r.PerSecond = count(r.PerSecond, int(h.Sent/time.Second), 1)
	switch {
	case len(r.Examples) < maxExamples:
		r.Examples = append(r.Examples, Hit{Hit: *h})
		r.latest = max(r.latest, h.Sent)
	case h.Sent < r.latest:
		slices.SortFunc(r.Examples, BySent)
		r.Examples[maxExamples-1] = Hit{Hit: *h}
		r.latest = max(r.Examples[maxExamples-2].Sent, h.Sent)
	}
}

func (r *Replies) merge(more Replies, lane string) {
	if r.Count == 0 {
		r.First, r.Last, r.FirstEnd, r.LastEnd = more.First, more.Last, more.FirstEnd, more.LastEnd
	}
	r.Count += more.Count
	r.First, r.Last = min(r.First, more.First), max(r.Last, more.Last)
	r.FirstEnd, r.LastEnd = min(r.FirstEnd, more.FirstEnd), max(r.LastEnd, more.LastEnd)
	r.Lanes = append(r.Lanes, lane)
	for second, n := range more.PerSecond {
		r.PerSecond = count(r.PerSecond, second, n)
	}
	r.Examples = append(r.Examples, more.Examples...)
}

// count adds n to the number of a second. A second before the first counts as the first.
func count(perSecond []int, second, n int) []int {
	second = max(0, second)
	for len(perSecond) <= second {
		perSecond = append(perSecond, 0)
	}
	perSecond[second] += n
	return perSecond
}

// RepliesOf sums up the replies of a version on the lane.
func (l Lane) RepliesOf(version string) (sum Replies) {
	sum.Version = version
	for b, replies := range l.replies {
		if b.version == version {
			sum.merge(*replies, l.ID)
		}
	}
	return sum
}

// Versions lists the versions that replied on the lane, sorted.
func (l Lane) Versions() []string {
	seen := make(map[string]bool)
	for b := range l.replies {
		seen[b.version] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
