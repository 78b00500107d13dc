package page

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// Connections are lines on the pods at their ends: cut, or told to go.
func TestConnectionsOnTheirPods(t *testing.T) {
	const ms = time.Millisecond
	conn := func(pod string, ended time.Duration, end evidence.End, told time.Duration) timeline.Connection {
		c := timeline.Connection{Connection: evidence.Connection{Number: 1, Opened: 10 * ms, Ended: ended, End: end}}
		c.By.Pod = pod
		if told > 0 {
			c.Told, c.ToldBy = told, evidence.GoAway
		}
		return c
	}
	tl := timeline.Timeline{Lanes: []timeline.Lane{{Lane: evidence.Lane{ID: "worker-h2c"}, Summary: timeline.LaneSummary{LastEnd: 90 * ms},
		Connections: []timeline.Connection{conn("a", 50*ms, evidence.EndReset, 0), conn("a", 60*ms, evidence.EndFin, 40*ms), conn("b", 0, "", 0),
			conn("", 70*ms, evidence.EndFin, 0), conn("gone", 70*ms, evidence.EndFin, 0)}}}}
	got := connectionsOf(tl, []pod{{Name: "a"}, {Name: "b"}, {Name: "c"}})
	want := map[int][]connection{0: {{10_000, 50_000, 0, true}, {10_000, 60_000, 40_000, false}}, 1: {{10_000, 90_000, 0, false}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(connection{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c := &chart{To: 100_000, Pods: []pod{{Name: "a"}, {Name: "b"}}, Connections: got}
	d := newDrawing(c, 100)
	if bottom, want := d.pods(c, 0), 2*podHeight+3*float64(connectionTall); bottom != want {
		t.Errorf("rows end at %v, want %v", bottom, want)
	}
	var drawn []string
	for _, p := range d.lines.Paths {
		drawn = append(drawn, p.Class+" "+p.D())
	}
	slices.Sort(drawn)
	if diff := cmp.Diff("cut M10 15H50;kept M10 17H60M10 33H90;told M40 16v2", strings.Join(drawn, ";")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var looks []string
	for _, k := range c.Keys() {
		if k.Layer == "lines" {
			looks = append(looks, k.Class)
		}
	}
	if diff := cmp.Diff([]string{"rule", "kept", "cut", "told"}, looks); diff != "" {
		t.Errorf("legend (-want +got):\n%s", diff)
	}
}

// Of very many connections of a pod some are drawn, and all that were cut.
func TestManyConnectionsOfAPod(t *testing.T) {
	var tl timeline.Timeline
	lane := timeline.Lane{}
	for i := range 10_000 {
		c := timeline.Connection{Connection: evidence.Connection{Number: uint32(i + 1), Opened: time.Duration(i), Ended: time.Second}}
		c.End = evidence.EndOwn
		if c.By.Pod = "a"; i%1000 == 1 {
			c.End = evidence.EndReset
		}
		lane.Connections = append(lane.Connections, c)
	}
	tl.Lanes = []timeline.Lane{lane}
	cut, all := 0, connectionsOf(tl, []pod{{Name: "a"}})[0]
	for _, c := range all {
		if c.cut {
			cut++
		}
	}
	if cut != 10 || len(all) > mostConnections+10 || len(all) < mostConnections/2 {
		t.Errorf("%d connections, of which %d were cut", len(all), cut)
	}
}
