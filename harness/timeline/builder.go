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
	lane     Lane
	marks    []time.Duration // ascending
	ended    time.Duration   // when the load ended
	clocks   clocks
	new      string // version
	arrived  bool   // arrivals were recorded
	nameless bool   // good replies need not name their version

	next     []uint64 // number expected of each agent
	finished bool
	*scratch
	summary  LaneSummary
	servers  map[evidence.Server]*server
	byNumber []*server
	cell     *Replies // the cell of the hit before this one
	cellSpan span

	nodes map[string]bool // of arrivals
	odd   [oddities]oddity
}

// An oddity is a way in which a lane's tapes can contradict each other or have holes: how many
// records do, and the number of the first.
type oddity struct {
	count int
	first uint64
}

const (
	repeated = iota
	missing
	scattered
	early
	unknownFault
	anonymous
	earlyArrival
	unlogged
	elsewhere
	orphaned
	oddities
)

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
		clocks: t.clocks, new: t.New, arrived: t.Arrived, nameless: t.nameless && lane.Kind().AsksApp(), servers: make(map[evidence.Server]*server), nodes: make(map[string]bool),
		summary: LaneSummary{Failures: make(map[evidence.Fault]int), ByVersion: make(map[string]int)},
	}
	for _, fault := range evidence.Faults() {
		b.summary.Failures[fault] = 0
	}
	for _, at := range t.marks {
		b.marks = append(b.marks, at)
	}
	slices.Sort(b.marks)
	b.summary.Agents = make([]AgentSummary, lane.AgentCount())
	for i := range b.summary.Agents {
		b.next = append(b.next, uint64(i))
	}
	return b
}

// add takes the next hit, which it may change, and its arrivals; it keeps neither.
func (b *builder) add(h *evidence.Hit, at []evidence.Arrival) {
	if b.finished {
		b.note(scattered, h.Seq)
		return
	}
	b.number(h.Seq)
	h.Due, h.Sent = b.clocks.onRecorder(b.lane.Node, h.Due), b.clocks.onRecorder(b.lane.Node, h.Sent)
	if h.Due < 0 || h.Sent < 0 || h.Took < 0 {
		b.note(early, h.Seq)
	}
	b.summary.see(h, b.agentOf(h.Seq))
	b.lags = append(b.lags, h.Sent-h.Due)
	answered := replied(h)
	if answered {
		b.reply(h)
	}
	if h.Failed() && !slices.Contains(evidence.Faults(), h.Fault) {
		b.note(unknownFault, h.Seq)
	}
	if !h.Failed() && h.By.Version == "" && !b.nameless {
		b.note(anonymous, h.Seq)
	}
	b.summary.Arrivals += len(at)
	switch {
	case !b.arrived:
	case len(at) == 0 && answered:
		b.note(unlogged, h.Seq)
	case len(at) == 0:
		b.summary.NeverArrived++
	case answered && !slices.ContainsFunc(at, func(a evidence.Arrival) bool { return a.By.Pod == h.By.Pod }):
		b.note(elsewhere, h.Seq)
	}
	if h.Failed() || h.Attempts > 1 || len(at) > 1 {
		b.keep(Hit{Hit: *h, Arrivals: slices.Clone(at)})
	}
	b.moments = append(b.moments, b.moment(h, at, answered))
}

// number checks that the numbers of each agent run without a hole. At the end of the lane some may be
// absent, for no two agents end at the same moment.
func (b *builder) number(seq uint64) {
	next := &b.next[b.agentOf(seq)]
	switch {
	case seq < *next:
		b.note(repeated, seq)
	case seq > *next:
		b.note(missing, *next)
	}
	*next = seq + uint64(len(b.next))
}

// agentOf is which of the lane's agents sent a number.
func (b *builder) agentOf(seq uint64) int { return int(seq % uint64(len(b.next))) }

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

// arrive puts the arrivals of one request on the recorder's clock, by time.
func (b *builder) arrive(at []evidence.Arrival) {
	if b == nil {
		return
	}
	for i := range at {
		b.nodes[at[i].By.Node] = true
		at[i].At = b.clocks.onRecorder(at[i].By.Node, at[i].At)
		if at[i].At < 0 {
			b.note(earlyArrival, at[i].Seq)
		}
	}
	slices.SortStableFunc(at, func(x, y evidence.Arrival) int {
		return cmp.Or(cmp.Compare(x.At, y.At), cmp.Compare(x.By.Pod, y.By.Pod), cmp.Compare(x.By.Node, y.By.Node))
	})
}

func (b *builder) note(which int, seq uint64) {
	if b.odd[which].count++; b.odd[which].count == 1 {
		b.odd[which].first = seq
	}
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
	b.note(orphaned, seq)
}

// finish works out what needs all hits of the lane, and gives the scratch back.
func (b *builder) finish() {
	if b == nil || b.finished {
		return
	}
	b.finished = true
	slices.SortStableFunc(b.moments, func(x, y moment) int { return cmp.Compare(x.sent, y.sent) })
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
	if !b.lane.Kind().KeepsAlive() {
		return
	}
	type connection struct {
		pod      string // that answered last
		switched bool   // the new version has answered
	}
	type end struct { // of a connection; agents have addresses of their own
		agent int
		port  uint16
	}
	open := make(map[end]connection)
	failed := make(map[uint64]string) // number -> pod
	for _, m := range b.moments {
		at := end{b.agentOf(m.seq), m.port}
		c := open[at]
		switch {
		case m.port == 0:
			continue
		case !m.reused:
			c = connection{}
			open[at] = c
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
		open[at] = c
	}
	for _, hits := range [][]Hit{b.lane.Failed, b.lane.Repeated} {
		for i := range hits {
			hits[i].Kept = failed[hits[i].Seq]
		}
	}
}

// problems says where the lane's tapes contradict each other or have holes, by file and position.
func (b *builder) problems() []string {
	var found []string
	for which, what := range [oddities]struct{ file, does string }{
		repeated:     {evidence.HitsFile, "repeats a sequence number"},
		missing:      {evidence.HitsFile, "is missing"},
		scattered:    {evidence.HitsFile, "comes after another lane's hits"},
		early:        {evidence.HitsFile, "has a time before the run began"},
		unknownFault: {evidence.HitsFile, "has an unknown fault"},
		anonymous:    {evidence.HitsFile, "is a good reply that names no version"},
		earlyArrival: {evidence.ArrivalsFile, "arrived before the run began"},
		unlogged:     {evidence.ArrivalsFile, "was answered, but logged by no pod"},
		elsewhere:    {evidence.ArrivalsFile, "was logged by another pod than the one that answered"},
		orphaned:     {evidence.ArrivalsFile, "was logged by a pod, but has no hit"},
	} {
		if odd := b.odd[which]; odd.count > 0 {
			found = append(found, fmt.Sprintf("%s: lane %q: seq %d %s (%d in all)", what.file, b.lane.ID, odd.first, what.does, odd.count))
		}
	}
	return found
}
