package page

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/inspect"
)

// A chart is what the timeline of a scenario is drawn from. Its JSON is what the page's script needs to show what is under the pointer.
// Times are microseconds since the run began, unless said otherwise.
type chart struct {
	From   int64    `json:"from"`
	To     int64    `json:"to"`
	Series series   `json:"series"`
	Lanes  []string `json:"lanes"`
	Routes []string `json:"routes"` // by lane: the node whose rules route its connections; empty: none, or not known
	Kinds  []string `json:"kinds"`  // of points; the first is a good reply
	Marks  []mark   `json:"marks"`  // by time
	Pods   []pod    `json:"pods"`
	// Statuses has those of bad replies: numbers of HTTP, and names of the codes of RPCs.
	Statuses []string `json:"statuses,omitempty"`
	Points   points   `json:"points"`

	Bands []band `json:"bands,omitempty"` // disruptions, by time
	Steps []mark `json:"steps,omitempty"` // of maintenance, by time
	Nodes []node `json:"-"`               // by name
	// Connections has those of each pod, by its place.
	Connections map[int][]connection `json:"-"`
	// Waits has the times, in order, in which a pod mostly waited for a processor of the host.
	Waits [][2]int64 `json:"-"`

	HostAlone bool `json:"-"` // no cluster was watched, see [timeline.Timeline]

	Legend []count `json:"-"` // of the kinds of points that there are
}

// A mark is a step of the scenario, named for people.
type mark struct {
	Name string `json:"name"`
	At   int64  `json:"at"`
}

// points has hits in columns, by time sent: every one that failed, was sent more than once or decided a rule. In a column of indexes into a
// list, -1 is none.
type points struct {
	At       []int64  `json:"at"` // when it was sent, less the one before
	Took     []int64  `json:"took"`
	Lane     []int    `json:"lane"`
	Seq      []uint64 `json:"seq"`
	Kind     []int    `json:"kind"`
	Status   []int    `json:"status"`   // index of that of a bad reply
	Version  []int    `json:"version"`  // index in the series' versions of the one that answered
	Pod      []int    `json:"pod"`      // index of the pod that got it, or should have
	Known    []int    `json:"known"`    // how the pod is known: a timeline.PodSource
	Arrivals []int    `json:"arrivals"` // at pods; -1: they were not recorded
	Attempts []int    `json:"attempts"`
	Port     []int    `json:"port"`
	Reused   []int    `json:"reused"` // 1: went over a keep-alive connection
}

var markNames = []struct {
	kind evidence.EventKind
	name string
}{
	{evidence.LoadBegun, "load begins"},
	{evidence.RolloutBegun, "rollout begins"},
	{evidence.StatusDone, "status says done"},
	{evidence.OldGone, "old pods gone"},
	{evidence.Barrier, "barrier"},
	{evidence.LoadEnded, "load ends"},
}

func markName(kind evidence.EventKind) string {
	for _, m := range markNames {
		if m.kind == kind {
			return m.name
		}
	}
	return ""
}

func newChart(t *replyCounter, hits []timeline.Hit, pods []pod, tl timeline.Timeline) *chart {
	c := &chart{Marks: []mark{}, Pods: append([]pod{}, pods...), Points: points{At: []int64{}}, Kinds: []string{goodReply},
		HostAlone: tl.HostAlone}
	for _, m := range markNames {
		ofLoad := m.kind == evidence.LoadBegun || m.kind == evidence.LoadEnded
		if at, ok := tl.Mark(m.kind); ok && (ofLoad || !tl.HostAlone) {
			c.Marks = append(c.Marks, mark{m.name, at.Microseconds()})
		}
	}
	slices.SortStableFunc(c.Marks, func(a, b mark) int { return cmp.Compare(a.At, b.At) })
	for _, fault := range evidence.Faults() {
		counted := func(l timeline.Lane) bool { _, counted := l.Summary.Failures[fault]; return counted }
		if slices.Contains(evidence.PlainFaults(), fault) || slices.ContainsFunc(tl.Lanes, counted) {
			c.Kinds = append(c.Kinds, string(fault))
		}
	}
	if slices.ContainsFunc(tl.Lanes, func(l timeline.Lane) bool { return l.Summary.Returned > 0 }) {
		c.Kinds = append(c.Kinds, string(evidence.Returned))
	}
	for _, lane := range tl.Lanes {
		c.Lanes, c.Routes = append(c.Lanes, lane.ID), append(c.Routes, lane.RoutingNode())
	}
	from, to := extent(c.Marks, hits, tl)
	c.Series = newSeries(t, inspect.ByAge(tl), from, to)
	c.From, c.To = c.Series.From*1000, to.Microseconds()
	c.place(hits, tl)
	c.Connections = connectionsOf(tl, c.Pods)
	return c
}

// extent returns the time that the axis spans: all marks, all requests and a little more.
func extent(marks []mark, hits []timeline.Hit, tl timeline.Timeline) (from, to time.Duration) {
	var moments []time.Duration
	for _, m := range marks {
		moments = append(moments, time.Duration(m.At)*time.Microsecond)
	}
	for _, h := range hits {
		moments = append(moments, h.Sent)
	}
	for _, lane := range tl.Lanes {
		if lane.Summary.Requests > 0 {
			moments = append(moments, lane.Summary.FirstSent, lane.Summary.LastSent)
		}
	}
	if len(moments) == 0 {
		return 0, time.Second
	}
	from, to = slices.Min(moments), slices.Max(moments)
	margin := max(time.Millisecond, (to-from)/100)
	return (from - margin).Truncate(time.Millisecond), (to + margin).Truncate(time.Millisecond)
}

// place puts hits, by time sent, into the columns and counts them by kind.
func (c *chart) place(hits []timeline.Hit, tl timeline.Timeline) {
	many := map[string]int{}
	p, last := &c.Points, int64(0)
	for _, h := range hits {
		at := h.Sent.Microseconds()
		p.At, last = append(p.At, at-last), at
		p.Took = append(p.Took, h.Took.Microseconds())
		p.Lane = append(p.Lane, slices.Index(c.Lanes, h.Lane))
		p.Seq = append(p.Seq, h.Seq)
		p.Kind = append(p.Kind, slices.Index(c.Kinds, cmp.Or(string(h.Fault), c.Kinds[0])))
		p.Status = append(p.Status, c.status(h))
		p.Version = append(p.Version, slices.Index(c.Series.Versions, h.By.Version))
		is := inspect.NewRequest(h, tl)
		p.Pod = append(p.Pod, slices.IndexFunc(c.Pods, func(p pod) bool { return p.Name == is.Pod.Pod }))
		p.Known = append(p.Known, int(is.Source))
		p.Arrivals = append(p.Arrivals, inspect.Arrivals(h, tl))
		p.Attempts = append(p.Attempts, int(h.Attempts))
		p.Port = append(p.Port, int(h.LocalPort))
		reused := 0
		if h.Reused {
			reused = 1
		}
		p.Reused = append(p.Reused, reused)
		if !h.Good() {
			many[string(h.Fault)]++
		}
		if inspect.SentAgain(h) {
			many[inspect.Again]++
		}
	}
	for _, name := range append(slices.Clone(c.Kinds), inspect.Again) {
		if many[name] > 0 {
			c.Legend = append(c.Legend, count{name, many[name]})
		}
		delete(many, name)
	}
	for _, name := range slices.Sorted(maps.Keys(many)) { // kinds of a newer build
		c.Legend = append(c.Legend, count{name, many[name]})
	}
}

// status returns the place of a hit's status among those of bad replies, and adds it if it is the first of its kind.
func (c *chart) status(h timeline.Hit) int {
	if h.Fault != evidence.BadStatus {
		return -1
	}
	name := evidence.StatusName(h.Status)
	if !slices.Contains(c.Statuses, name) {
		c.Statuses = append(c.Statuses, name)
	}
	return slices.Index(c.Statuses, name)
}
