package timeline

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A builder makes a [Lane] from its hits, given by number and without those of another lane in between.
type builder struct {
	*shared
	lane        Lane
	unversioned bool        // a good reply may lack the version
	timesApp    bool        // the app is Rollcall's: its answers always take the same time
	flows       *laneFlows  // nil: where connections were routed is not known
	responders  *responders // nil: replies name their pod, or the app's pods were not watched
	away        away

	slowestLeast time.Duration // the shortest of the slowest replies

	next     uint64 // the sequence number expected
	finished bool
	summary  LaneSummary
	servers  map[evidence.Server]*server
	byNumber []*server
	bucket   bucket   // of the previous reply
	replies  *Replies // in that bucket

	lags      counted // of Sent-Due
	firsts    counted // see [LaneSummary.FirstToken]
	tokenGaps counted // see [LaneSummary.TokenGap]
	latencies latencies
	order     order

	nodes        map[string]bool // where arrivals were logged
	inconsistent [inconsistencies]inconsistency
}

// shared holds what the builders of all lanes of a run use.
type shared struct {
	t        *Timeline
	asked    []HitID         // to keep whole
	begun    time.Duration   // when the rollout began, or never
	marks    []time.Duration // ascending
	windows  windows
	cutter   *cutter                 // nil: nothing is expected of replies that pods' ends cut
	unlogged func(evidence.Hit) bool // see [Timeline.unlogged]

	waiting []sentHit // for their turn in the order of one lane; the lanes take turns
}

func (t *Timeline) shared(run evidence.Run, asked []HitID) *shared {
	s := &shared{t: t, asked: asked, begun: t.begun(), marks: slices.Sorted(maps.Values(t.marks)), unlogged: t.unlogged(),
		windows: windows{terminating: t.terminatingBesideReady(), noneServing: t.NoneServing(), onlyTerminating: t.OnlyTerminating(),
			starting: t.ReadyUnlistening()}}
	if w, ok := t.Maintenance(); ok {
		s.windows.maintenance = []Window{w}
	}
	if at, ok := t.FirstChange(); ok {
		s.windows.sinceChange = []Window{{From: at, To: never}}
	}
	for _, x := range run.Expect {
		if w, ok := t.After(x); ok {
			s.windows.expected = append(s.windows.expected, w)
		}
		if x.Lasts != "" {
			s.cutter = &cutter{lasts: x.Lasts, slack: x.Max, ends: t.endsOfOld()}
		}
	}
	return s
}

// A server is a pod that replied, or that a request reached.
type server struct {
	evidence.Server
	number int32
	good   int           // good replies
	first  time.Duration // when the first request was sent that it answered well
	lastTo time.Duration // when the last request that reached it was sent
}

func newBuilder(run evidence.Run, lane evidence.Lane, routed flows, s *shared) *builder {
	own := absencesOf(run, lane, s.t.clocks)
	b := &builder{
		shared: s, away: newAway(own), servers: make(map[evidence.Server]*server), nodes: make(map[string]bool),
		lane: Lane{
			Lane: lane, replies: make(map[bucket]*Replies), lastTo: make(map[evidence.Server]time.Duration),
			uncertainty: s.t.clocks[lane.Node].uncertainty, Absences: own,
		},
		unversioned: s.t.unversioned && lane.Kind().RequestsApp() || lane.RequestsControlURL(),
		timesApp:    run.UserApp == nil && lane.Kind().RequestsApp() && lane.Protocol.Steady(),
		flows:       routed.of(lane, own, s.t),
		summary:     LaneSummary{Failures: make(map[evidence.Fault]int), ByVersion: make(map[string]int)},
		lags:        counted{}, firsts: counted{}, tokenGaps: counted{}, latencies: s.t.newLatencies(),
	}
	b.order = newOrder(b.lane, s.windows)
	faults := evidence.PlainFaults()
	if lane.Protocol.Streams() {
		faults = append(faults, evidence.StreamFaults()...)
	}
	if lane.OverTLS() {
		faults = append(faults, evidence.TLSFaults()...)
	}
	for _, fault := range faults {
		b.summary.Failures[fault] = 0
	}
	return b
}

// add adds the next hit and its arrivals. It may change the hit, and keeps neither.
func (b *builder) add(h *evidence.Hit, at []evidence.Arrival) {
	if b.finished {
		b.note(scattered, h.Seq)
		return
	}
	b.checkNumber(h.Seq)
	h.Due, h.Sent = b.t.clocks.onRecorder(b.lane.Node, h.Due), b.t.clocks.onRecorder(b.lane.Node, h.Sent)
	if h.Due < 0 || h.Sent < 0 || h.Took < 0 {
		b.note(early, h.Seq)
	}
	nameless := h.By.Pod == ""
	routed := b.route(h)
	if b.responders != nil && nameless && h.Good() {
		b.noteForeign(h, routed)
	}
	b.summary.add(h)
	b.countOn(h)
	b.lags.addMicros(h.Sent - h.Due)
	b.noteLate(h)
	b.noteTokens(h)
	if h.Good() {
		b.latencies.add(h)
		b.noteLatency(h, at)
	}
	answered := replied(h)
	if answered {
		b.countReply(h)
	}
	if h.Failed() && !slices.Contains(evidence.Faults(), h.Fault) {
		b.note(unknownFault, h.Seq)
	}
	if h.Good() && h.By.Version == "" && !b.unversioned {
		b.note(anonymous, h.Seq)
	}
	arrived := len(at)
	if arrived == 0 && answered && b.t.Arrived && b.unlogged(*h) {
		arrived = 1 // its reply shows that
	}
	b.summary.Arrivals += arrived
	if b.sinceBegun(h) {
		b.summary.SinceBegun++
		if arrived > 0 {
			b.summary.ArrivedSinceBegun++
		}
	}
	switch {
	case !b.t.Arrived || arrived > len(at):
	case len(at) == 0 && answered:
		b.note(unlogged, h.Seq)
	case len(at) == 0:
		b.summary.NeverArrived++
	case answered && !slices.ContainsFunc(at, func(a evidence.Arrival) bool { return a.By.Pod == h.By.Pod }):
		b.note(elsewhere, h.Seq)
	}
	if b.cutter != nil {
		b.cutter.add(&b.lane.Cuts, Hit{Hit: b.onConnection(*h), Arrivals: at})
	}
	if h.Failed() || h.Attempts > 1 || len(at) > 1 {
		b.keep(Hit{Hit: *h, Arrivals: slices.Clone(at), Routed: routed})
	}
	if b.lane.Steps || slices.Contains(b.asked, HitID{b.lane.ID, h.Seq}) {
		b.lane.Wanted = append(b.lane.Wanted, Hit{Hit: *h, Arrivals: slices.Clone(at), Routed: routed})
	}
	b.wait(b.sentHit(h, at, answered))
}

// sinceBegun reports whether a hit was certainly sent since the rollout began.
func (b *builder) sinceBegun(h *evidence.Hit) bool { return h.Sent-b.lane.uncertainty >= b.begun }

// route returns where the connection of a hit was routed to. It sets that pod as the sender of a reply that names no pod.
func (b *builder) route(h *evidence.Hit) Routed {
	if b.flows == nil {
		return Routed{}
	}
	routed := b.routed(h)
	switch s := &b.summary.Routings; routed.Routing {
	case RoutedToPod:
		s.Pod++
		if routed.Pod != "" {
			b.summary.Attributed++
		}
		if h.Good() && h.By.Pod != "" && routed.Pod != "" && h.By.Pod != routed.Pod {
			s.Contradicted++
		}
	case RoutedNowhere:
		s.Nowhere++
		if routed.InRules > 0 {
			s.Unexplained++
		}
	case RoutingUnknown:
		s.Unknown++
	}
	if b.unversioned && h.Good() && h.By.Pod == "" {
		h.By = routed.Server
	}
	return routed
}

// routed returns where the connection of a hit was routed to. That of a row was when its first request was sent, whatever its port is
// used for later.
func (b *builder) routed(h *evidence.Hit) Routed {
	c := b.row(h)
	switch {
	case c == nil:
		return b.flows.connection(h)
	case !h.Reused || c.hits == 0:
		c.Routed = b.flows.connection(h)
	}
	return c.Routed
}

// noteForeign counts a good reply that no pod of the app can have given. Then it is not that of a pod that its connection was routed to.
func (b *builder) noteForeign(h *evidence.Hit, routed Routed) {
	why := b.responders.foreign(h, routed, b.lane.uncertainty)
	if why == "" {
		return
	}
	if s := &b.lane.ForeignReplies; s.Count == 0 || h.Sent < s.First {
		s.First, s.Why = h.Sent, why
	}
	b.lane.ForeignReplies.Count++
}

// checkNumber notes a sequence number that repeats an earlier one or leaves a hole.
func (b *builder) checkNumber(seq uint64) {
	switch {
	case seq < b.next:
		b.note(repeated, seq)
	case seq > b.next:
		if hole, found := b.explainMissing(b.next, seq); found {
			b.note(missing, hole)
		}
	}
	delete(b.away.sent, seq)
	b.next = seq + 1
}

// keep adds a hit to the ones that the lane keeps whole: those that failed, were retried or arrived more than once.
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

// alignArrivals converts the arrivals of one request to the recorder's clock and sorts them by time.
func (b *builder) alignArrivals(at []evidence.Arrival) {
	if b == nil {
		return
	}
	for i := range at {
		b.nodes[at[i].By.Node] = true
		at[i].At = b.t.clocks.onRecorder(at[i].By.Node, at[i].At)
		if at[i].At < 0 {
			b.note(earlyArrival, at[i].Seq)
		}
	}
	slices.SortStableFunc(at, func(x, y evidence.Arrival) int {
		return cmp.Or(cmp.Compare(x.At, y.At), cmp.Compare(x.By.Pod, y.By.Pod), cmp.Compare(x.By.Node, y.By.Node))
	})
}

// countReply adds a reply to its [bucket].
func (b *builder) countReply(h *evidence.Hit) {
	at := bucket{version: h.By.Version, stray: b.t.isStray(h.By.Pod)}
	for _, mark := range b.marks {
		if h.Sent-b.lane.uncertainty >= mark {
			at.certain++
		}
		if h.Sent+b.lane.uncertainty >= mark {
			at.possible++
		}
	}
	if b.replies == nil || at != b.bucket {
		if b.lane.replies[at] == nil {
			b.lane.replies[at] = &Replies{Version: h.By.Version, FirstEnd: h.End(), LastEnd: h.End()}
		}
		b.replies, b.bucket = b.lane.replies[at], at
	}
	b.replies.add(h)
}

func (b *builder) sentHit(h *evidence.Hit, at []evidence.Arrival, answered bool) sentHit {
	m := sentHit{sent: h.Sent, took: h.Took, answered: h.Took, seq: h.Seq, connection: identity(h), numbered: h.Connection > 0,
		failed: !h.Good(),
		reused: h.Reused}
	if h.FirstMicros > 0 {
		m.answered = h.FirstToken()
	}
	var reached *server
	if answered {
		reached = b.server(h.By)
		m.by = reached.number
		if !m.failed {
			if reached.good++; reached.good == 1 || h.Sent < reached.first {
				reached.first = h.Sent
			}
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

// addUnsent counts n arrivals that have no hit. If the agent was away, the request was sent, and its outcome is unknown.
func (b *builder) addUnsent(seq uint64, n int) {
	if b.away.excuses(seq) {
		b.away.sent[seq] = true
		return
	}
	b.summary.Arrivals += n
	b.note(orphaned, seq)
}

// finish computes what needs all hits of the lane, and empties the shared buffer.
func (b *builder) finish() {
	if b == nil || b.finished {
		return
	}
	b.finished = true
	b.passOn(len(b.waiting))
	for _, s := range b.servers {
		if s.good > 0 {
			b.summary.ByVersion[s.Version] += s.good
		}
		of := evidence.Server{Pod: s.Pod, Version: s.Version}
		if first, known := b.t.firstGood[of]; s.good > 0 && (!known || s.first < first) {
			b.t.firstGood[of] = s.first
		}
		b.lane.lastTo[of] = max(b.lane.lastTo[of], s.lastTo)
	}
	b.summary.Back = b.order.back
	if !b.lane.Steps {
		b.order.outages.end(b.t.marks[evidence.LoadEnded], b.lane.uncertainty, b.away)
		b.order.gaps.end(b.away)
		b.summary.Outages, b.summary.Unseen = b.order.outages.found, b.order.outages.unseen
		b.summary.Gap, b.summary.UnseenGaps = b.order.gaps.longest, b.order.gaps.unseen
		b.summary.Rate = b.summary.rate(b.lane.Rate)
	}
	b.summary.Lag = b.lags.spread()
	b.summary.FirstToken, b.summary.TokenGap = b.firsts.spread(), b.tokenGaps.spread()
	b.summary.Unknown, b.summary.InFlight = len(b.away.sent), b.away.inFlightAt(b.lane.period())
	b.lane.sent = b.order.sent
	b.summary.WhileTerminating = b.lane.CountSent(b.windows.terminating...)
	b.summary.WhileNoneServing = b.lane.CountSent(b.windows.noneServing...)
	b.summary.WhileStarting = b.lane.CountSent(b.windows.starting...)
	b.summary.WhileOnlyTerminating = b.lane.CountSent(b.windows.onlyTerminating...)
	b.summary.InMaintenance = b.lane.CountSent(b.windows.maintenance...)
	b.summary.SinceChange = b.lane.CountSent(b.windows.sinceChange...)
	b.finishLatency()
	b.finishConnections()
	b.lane.Summary = b.summary
	slices.SortStableFunc(b.lane.Failed, BySent)
	slices.SortStableFunc(b.lane.Wanted, BySent)
	slices.SortStableFunc(b.lane.Repeated, BySent)
	b.lags, b.firsts, b.tokenGaps, b.latencies, b.order = nil, nil, nil, latencies{}, order{}
}
