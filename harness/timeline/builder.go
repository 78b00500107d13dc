package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// A builder makes a [Lane] from its hits, given by number and without another lane's in between.
type builder struct {
	lane    Lane
	marks   []time.Duration // ascending
	ended   time.Duration   // when the load ended
	clocks  clocks
	new     string // version
	arrived bool   // arrivals were recorded

	next     uint64 // number expected
	finished bool
	*scratch
	summary  LaneSummary
	servers  map[evidence.Server]*server
	byNumber []*server
	cell     *Replies // the cell of the hit before this one
	cellSpan span

	twice, holes, scattered, negative, unknown, anonymous, unlogged, elsewhere int
	orphans                                                                    []uint64 // arrivals without a hit, by number
}

// A scratch is what the order of sending needs of the hits of one lane at a time.
type scratch struct {
	moments []moment
	lags    []time.Duration
}

// A moment is a hit in the order of sending: 24 bytes.
type moment struct {
	sent   time.Duration
	seq    uint64
	by     int32 // number of the server that replied, from 1; 0 without a reply
	port   uint16
	failed bool
	reused bool
}

// A server is who replied or was sent a request.
type server struct {
	evidence.Server
	number int32
	good   int           // good replies
	lastTo time.Duration // the last hit sent that reached it
}

func newBuilder(lane evidence.Lane, t Timeline, s *scratch) *builder {
	b := &builder{
		lane:  Lane{Lane: lane, replies: make(map[span]*Replies), lastTo: make(map[string]time.Duration), uncertainty: t.clocks[lane.Node].uncertainty},
		ended: t.marks[evidence.LoadEnded], scratch: s,
		clocks: t.clocks, new: t.New, arrived: t.Arrived, servers: make(map[evidence.Server]*server),
		summary: LaneSummary{Failures: make(map[evidence.Fault]int), ByVersion: make(map[string]int)},
	}
	for _, fault := range evidence.Faults() {
		b.summary.Failures[fault] = 0
	}
	for _, at := range t.marks {
		b.marks = append(b.marks, at)
	}
	slices.Sort(b.marks)
	return b
}

// add takes the next hit, which it may change, and its arrivals; it keeps neither.
func (b *builder) add(h *evidence.Hit, at []evidence.Arrival) {
	if b.finished {
		b.scattered++
		return
	}
	b.number(h.Seq)
	h.Due, h.Sent = b.clocks.onRecorder(b.lane.Node, h.Due), b.clocks.onRecorder(b.lane.Node, h.Sent)
	if h.Due < 0 || h.Sent < 0 || h.Took < 0 {
		b.negative++
	}
	b.summary.see(h)
	b.lags = append(b.lags, h.Sent-h.Due)
	answered := replied(h)
	if answered {
		b.reply(h)
	}
	if h.Failed() && !slices.Contains(evidence.Faults(), h.Fault) {
		b.unknown++
	}
	if !h.Failed() && h.By.Version == "" {
		b.anonymous++
	}
	b.summary.Arrivals += len(at)
	switch {
	case !b.arrived:
	case len(at) == 0 && answered:
		b.unlogged++
	case len(at) == 0:
		b.summary.NeverArrived++
	case answered && !slices.ContainsFunc(at, func(a evidence.Arrival) bool { return a.By.Pod == h.By.Pod }):
		b.elsewhere++
	}
	if h.Failed() || h.Attempts > 1 || len(at) > 1 {
		b.keep(Hit{Hit: *h, Arrivals: b.arrivals(at)})
	}
	b.moments = append(b.moments, b.moment(h, at, answered))
}

// number checks that numbers run from 0 without a hole.
func (b *builder) number(seq uint64) {
	switch {
	case seq < b.next:
		b.twice++
	case seq > b.next:
		b.holes++
	}
	b.next = seq + 1
}

// keep keeps a hit that somebody may have to explain.
func (b *builder) keep(h Hit) {
	if h.Failed() {
		b.lane.Failed = append(b.lane.Failed, h)
	}
	if h.Attempts > 1 || len(h.Arrivals) > 1 {
		b.summary.Retried++
		b.lane.Repeated = append(b.lane.Repeated, h)
	}
	if h.Lost() {
		b.summary.LostReplies++
	}
}

// arrivals puts arrivals on the recorder's clock, in a slice of their own.
func (b *builder) arrivals(at []evidence.Arrival) []evidence.Arrival {
	own := slices.Clone(at)
	for i := range own {
		own[i].At = b.clocks.onRecorder(own[i].By.Node, own[i].At)
	}
	return own
}

// reply counts a reply in the cell of its version and of the marks it was sent after.
func (b *builder) reply(h *evidence.Hit) {
	at := span{version: h.By.Version}
	for _, mark := range b.marks {
		if h.Sent-b.lane.uncertainty >= mark {
			at.certain++
		}
		if h.Sent+b.lane.uncertainty >= mark {
			at.possible++
		}
	}
	if b.cell == nil || at != b.cellSpan {
		if b.lane.replies[at] == nil {
			b.lane.replies[at] = &Replies{Version: h.By.Version, FirstEnd: h.End(), LastEnd: h.End()}
		}
		b.cell, b.cellSpan = b.lane.replies[at], at
	}
	b.cell.see(h)
}

func (b *builder) moment(h *evidence.Hit, at []evidence.Arrival, answered bool) moment {
	m := moment{sent: h.Sent, seq: h.Seq, port: uint16(h.LocalPort), failed: h.Failed(), reused: h.Reused}
	var reached *server
	if answered {
		reached = b.server(h.By)
		m.by = reached.number
		if !m.failed {
			reached.good++
		}
	} else if len(at) > 0 {
		reached = b.server(at[len(at)-1].By)
	}
	if reached != nil {
		reached.lastTo = max(reached.lastTo, h.Sent)
	}
	return m
}

func (b *builder) server(by evidence.Server) *server {
	s := b.servers[by]
	if s == nil {
		b.byNumber = append(b.byNumber, &server{Server: by, number: int32(len(b.byNumber) + 1)})
		s = b.byNumber[len(b.byNumber)-1]
		b.servers[by] = s
	}
	return s
}

// orphan notes arrivals that have no hit.
func (b *builder) orphan(seq uint64, n int) {
	b.summary.Arrivals += n
	b.orphans = append(b.orphans, seq)
}

// finish works out what needs all hits of the lane, and gives the scratch back.
func (b *builder) finish() {
	if b == nil || b.finished {
		return
	}
	b.finished = true
	slices.SortFunc(b.moments, compareMoments)
	for _, s := range b.servers {
		if s.good > 0 {
			b.summary.ByVersion[s.Version] += s.good
		}
		b.lane.lastTo[s.Pod] = max(b.lane.lastTo[s.Pod], s.lastTo)
	}
	b.summary.Outages = outages(b.moments, b.ended, b.lane.uncertainty)
	b.summary.Lag = spreadOf(b.lags)
	b.summary.achieved()
	b.lane.Summary = b.summary
	b.followConnections()
	slices.SortStableFunc(b.lane.Failed, bySent)
	slices.SortStableFunc(b.lane.Repeated, bySent)
	b.moments, b.lags = b.moments[:0], b.lags[:0]
}

// followConnections walks each kept connection in the order of sending. It finds replies by another
// version that follow one by the new, and to which pod a connection led that failed.
func (b *builder) followConnections() {
	if b.lane.Conn != evidence.Reused {
		return
	}
	type connection struct {
		pod      string // that answered last
		switched bool   // the new version has answered
	}
	open := make(map[uint16]connection) // by local port
	failed := make(map[uint64]string)   // number -> pod
	for _, m := range b.moments {
		c := open[m.port]
		switch {
		case m.port == 0:
			continue
		case !m.reused:
			c = connection{}
		}
		if m.by == 0 {
			failed[m.seq] = c.pod
			continue
		}
		by := b.byNumber[m.by-1].Server
		if by.Version == b.new {
			c.switched = true
		} else if c.switched {
			b.lane.Returns = append(b.lane.Returns, Hit{Kept: c.pod, Hit: evidence.Hit{Lane: b.lane.ID, Seq: m.seq, Sent: m.sent, LocalPort: int(m.port), Reused: m.reused, By: by}})
		}
		c.pod = by.Pod
		open[m.port] = c
	}
	for i := range b.lane.Failed {
		b.lane.Failed[i].Kept = failed[b.lane.Failed[i].Seq]
	}
}

// compareMoments orders by time sent.
func compareMoments(x, y moment) int {
	switch {
	case x.sent != y.sent:
		return cmp.Compare(x.sent, y.sent)
	case x.seq != y.seq:
		return cmp.Compare(x.seq, y.seq)
	default:
		return compareBools(x.failed, y.failed)
	}
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// problems says where the lane's tapes contradict each other or have holes.
func (b *builder) problems() []string {
	var found []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{b.twice, "%d hits of lane %q repeat a sequence number"},
		{b.holes, "%d stretches of sequence numbers of lane %q are missing"},
		{b.scattered, "%d hits of lane %q come after another lane's"},
		{b.negative, "%d hits of lane %q have a time before the run began"},
		{b.unknown, "%d hits of lane %q have an unknown fault"},
		{b.anonymous, "%d good replies of lane %q name no version"},
		{b.unlogged, "%d replies to lane %q are of requests no pod logged"},
		{b.elsewhere, "%d replies to lane %q are by another pod than the one that logged the request"},
		{len(b.orphans), "%d requests of lane %q were logged by pods, but have no hit"},
	} {
		if p.n > 0 {
			found = append(found, fmt.Sprintf(p.what, p.n, b.lane.ID))
		}
	}
	return found
}
