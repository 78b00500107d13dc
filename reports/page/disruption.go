package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// A band is a disruption, in microseconds: from when it began until it was undone, and then until the cluster was whole again. If no
// cluster was watched it ends when it was undone. A time that was not seen is the chart's end.
type band struct {
	Name   string `json:"name"`
	From   int64  `json:"from"`
	Undone int64  `json:"undone"`
	To     int64  `json:"to"`
}

// A node is one row of the timeline: when a node was not ready or was cordoned, in microseconds, and when it changed into what.
type node struct {
	Name              string
	Unready, Cordoned [][2]int64
	Changes           []mark
}

// disrupt adds the disruption and the steps of a run. If there are steps, each node that was disrupted, or to which something happened,
// has a row.
func (c *chart) disrupt(run evidence.Run, tl timeline.Timeline) {
	at := func(mark evidence.EventKind) int64 {
		if at, ok := tl.Mark(mark); ok {
			return at.Microseconds()
		}
		return c.To
	}
	var nodes []string
	if d := run.Disruption; d != nil {
		nodes = d.Nodes
		end := at(evidence.ClusterWhole)
		if c.HostAlone {
			end = at(evidence.DisruptionUndone)
		}
		if _, begun := tl.Mark(evidence.DisruptionBegun); begun {
			c.Bands = append(c.Bands, band{cut(cmp.Or(d.Does, d.ID)), at(evidence.DisruptionBegun), min(at(evidence.DisruptionUndone), end), end})
		}
	}
	steps := tl.Steps()
	for _, s := range steps {
		if s.Kind != evidence.DisruptionBegun && s.Kind != evidence.DisruptionUndone { // which the bands show
			c.Steps = append(c.Steps, mark{s.String(), s.At.Microseconds()})
		}
	}
	if len(steps) == 0 {
		return
	}
	for _, h := range tl.NodeHistories() {
		if h.Eventful() || slices.Contains(nodes, h.Node) {
			c.Nodes = append(c.Nodes, c.newNode(h))
		}
	}
}

func (c *chart) newNode(h timeline.NodeHistory) node {
	spans := func(windows []timeline.Window) (all [][2]int64) {
		for _, w := range windows {
			all = append(all, [2]int64{w.From.Microseconds(), min(c.To, w.To.Microseconds())})
		}
		return all
	}
	n := node{Name: h.Node, Unready: spans(h.Unready), Cordoned: spans(h.Cordoned)}
	for _, s := range h.Changes {
		n.Changes = append(n.Changes, mark{s.What, s.At.Microseconds()})
	}
	return n
}

// long reports whether the chart spans so much time that times are in hours and minutes, and that it has an overview.
func (c *chart) long() bool { return c.To-c.From >= longRun.Microseconds() }

const longRun = 5 * time.Minute

// At formats a moment of the recording, in milliseconds.
func (r run) At(millis float64) string {
	at := time.Duration(millis * float64(time.Millisecond))
	if r.LoadSeconds == nil || *r.LoadSeconds < longRun.Seconds() {
		return phrase.Seconds(at)
	}
	return clock(at)
}

// clock formats a time, such as "1:02:05", with milliseconds if there are any.
func clock(at time.Duration) string {
	said := fmt.Sprintf("%d:%02d:%02d", int(at.Hours()), int(at.Minutes())%60, int(at.Seconds())%60)
	if ms := at.Milliseconds() % 1000; ms > 0 {
		said += fmt.Sprintf(".%03d", ms)
	}
	return said
}

// When formats the times of a disruption.
func (r run) When(d model.Disruption) string {
	var said []string
	for _, t := range []struct {
		words string
		at    *float64
	}{{"begun at", d.Begun}, {"undone at", d.Undone}, {"the cluster whole at", d.Whole}} {
		if t.at != nil {
			said = append(said, t.words+" "+r.At(*t.at))
		}
	}
	return strings.Join(said, ", ")
}

// ShownOutages returns the outages that are not folded.
func (r run) ShownOutages() []model.Outage { return r.Outages[:min(5, len(r.Outages))] }

// MoreOutages returns the others.
func (r run) MoreOutages() []model.Outage { return r.Outages[min(5, len(r.Outages)):] }

// outageText returns, for example, "47 failed on worker-fresh for 3.20 s, from 400 ms after: worker: drain; meanwhile: worker: not ready".
func outageText(o model.Outage) string {
	lasted := func(millis float64) string { return phrase.Duration(time.Duration(millis * float64(time.Millisecond))) }
	said := fmt.Sprintf("%s failed on %s for %s", phrase.Number(o.Failed), o.Lane, lasted(o.Length))
	if o.Open {
		said += " until the load ended"
	}
	if o.After != nil {
		said += fmt.Sprintf(", from %s after: %s", lasted(*o.After), o.Step)
	} else {
		said += ", before any step"
	}
	const most = 4
	if n := len(o.Spans); n > most {
		said += fmt.Sprintf("; meanwhile: %s and %d more", strings.Join(o.Spans[:most], ", "), n-most)
	} else if n > 0 {
		said += "; meanwhile: " + strings.Join(o.Spans, ", ")
	}
	return said
}
