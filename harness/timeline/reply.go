package timeline

import (
	"maps"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// Replies are those of one version, good and bad ones: how many, and the first and last of them.
type Replies struct {
	Version           string
	Count             int
	Unclear           int           // further ones, sent so close to the mark asked about that the clocks cannot tell
	First, Last       time.Duration // sent
	FirstEnd, LastEnd time.Duration // the earliest and latest end of a reply
	Lanes             []string      // sorted
	Examples          []Hit         // the first by time sent, at most 20
	PerSecond         []int         // by second since Run.Began in which the request was sent

	latest time.Duration // sent, of the examples
}

// maxExamples bounds what is kept of a kind of reply.
const maxExamples = 20

// A span is a cell of a lane's replies: a version, and how many marks its hits were certainly and
// possibly sent after. The two differ where a hit is closer to a mark than the clocks can tell.
type span struct {
	version           string
	certain, possible int
}

// Replies lists the replies of all service lanes, by version.
func (t Timeline) Replies() []Replies {
	return t.repliesIn("", func(span) (in, unclear bool) { return true, false })
}

// RepliesSince lists, by version, the replies to requests that service lanes with such connections, all of them
// if conn is empty, sent from a mark on. It is empty when the mark is missing.
func (t Timeline) RepliesSince(mark evidence.EventKind, conn evidence.Conn) []Replies {
	from, ok := t.Mark(mark)
	if !ok {
		return nil
	}
	rank := 0 // marks up to and including this one
	for _, at := range t.marks {
		if at <= from {
			rank++
		}
	}
	return t.repliesIn(conn, func(s span) (in, unclear bool) { return s.certain >= rank, s.possible >= rank })
}

func (t Timeline) repliesIn(conn evidence.Conn, holds func(span) (in, unclear bool)) []Replies {
	byVersion := make(map[string]*Replies)
	for _, lane := range t.ServiceLanes() {
		if conn != "" && lane.Conn != conn {
			continue
		}
		for s, cell := range lane.replies {
			in, unclear := holds(s)
			if !in && !unclear {
				continue
			}
			sum := byVersion[s.version]
			if sum == nil {
				sum = &Replies{Version: s.version}
				byVersion[s.version] = sum
			}
			if in {
				sum.join(*cell, lane.ID)
			} else {
				sum.Unclear += cell.Count
			}
		}
	}
	var all []Replies
	for _, version := range slices.Sorted(maps.Keys(byVersion)) {
		sum := byVersion[version]
		slices.SortFunc(sum.Examples, bySent)
		sum.Examples = sum.Examples[:min(len(sum.Examples), maxExamples)]
		slices.Sort(sum.Lanes)
		sum.Lanes = slices.Compact(sum.Lanes)
		all = append(all, *sum)
	}
	return all
}

// see counts one more reply.
func (r *Replies) see(h *evidence.Hit) {
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
		slices.SortFunc(r.Examples, bySent)
		r.Examples[maxExamples-1] = Hit{Hit: *h}
		r.latest = max(r.Examples[maxExamples-2].Sent, h.Sent)
	}
}

// join adds the replies of one more cell, of a lane.
func (r *Replies) join(cell Replies, lane string) {
	if r.Count == 0 {
		r.First, r.Last, r.FirstEnd, r.LastEnd = cell.First, cell.Last, cell.FirstEnd, cell.LastEnd
	}
	r.Count += cell.Count
	r.First, r.Last = min(r.First, cell.First), max(r.Last, cell.Last)
	r.FirstEnd, r.LastEnd = min(r.FirstEnd, cell.FirstEnd), max(r.LastEnd, cell.LastEnd)
	r.Lanes = append(r.Lanes, lane)
	for second, n := range cell.PerSecond {
		r.PerSecond = count(r.PerSecond, second, n)
	}
	r.Examples = append(r.Examples, cell.Examples...)
}

// count adds n to the number of a second; what lies before the first counts as of it.
func count(perSecond []int, second, n int) []int {
	second = max(0, second)
	for len(perSecond) <= second {
		perSecond = append(perSecond, 0)
	}
	perSecond[second] += n
	return perSecond
}

// RepliesOf is what a version replied on the lane; zero without a reply.
func (l Lane) RepliesOf(version string) (sum Replies) {
	sum.Version = version
	for s, cell := range l.replies {
		if s.version == version {
			sum.join(*cell, l.ID)
		}
	}
	return sum
}

// Versions lists who replied on the lane, sorted.
func (l Lane) Versions() []string {
	seen := make(map[string]bool)
	for s := range l.replies {
		seen[s.version] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
