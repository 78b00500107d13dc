package verdict_test

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

func drawnNodes() []string { return []string{"worker", "worker2"} }

// drawRun draws the clocks of nodes, and when the load and the rollout began and ended. A mark may be missing.
func (d *drawing) drawRun() {
	r := d.random("run")
	d.Run = evidence.Run{Schema: evidence.SchemaVersion, Scenario: "drawn", OldVersion: "v1", NewVersion: "v2", Kubernetes: "v1.37.2",
		Mode: "iptables"}
	if r.chance(5) {
		d.Run.NewVersion = "v1"
	}
	d.drawClocks(r)
	for _, n := range drawnNodes() {
		for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
			d.Run.Lanes = append(d.Run.Lanes, evidence.Lane{ID: n + "-" + string(conn), Vantage: evidence.FromPod, Node: n, Conn: conn, Rate: 10})
		}
	}
	d.Run.Lanes = append(d.Run.Lanes,
		evidence.Lane{ID: "control", Vantage: evidence.FromControl, Node: "worker", Conn: evidence.Fresh, Rate: 10, TargetNode: "worker2"},
		evidence.Lane{ID: "outside", Vantage: evidence.FromHost, Conn: evidence.Fresh, Rate: 10})
	d.begun, d.done, d.recreate = 1000, 1000+r.pick(3000), r.chance(25)
	d.gone = d.done + r.pick(1500)
	if d.recreate {
		d.done, d.gone = d.begun+2500, d.begun+2500
	}
	d.ended = d.gone + 500 + r.pick(7000)
	for _, m := range []struct {
		at   int
		kind evidence.EventKind
	}{
		{0, evidence.LoadBegun}, {d.begun, evidence.RolloutBegun}, {d.done, evidence.StatusDone}, {d.gone, evidence.OldGone},
		{d.gone + r.pick(300), evidence.Barrier}, {d.ended, evidence.LoadEnded},
	} {
		if !r.chance(3) {
			d.add(mark(m.at, m.kind))
		}
	}
}

func (d *drawing) drawClocks(r random) {
	uncertainty := time.Duration(0)
	if r.chance(40) {
		uncertainty = r.at(0, 30)
	}
	d.offset = map[string]time.Duration{}
	if r.chance(60) {
		for _, n := range drawnNodes() {
			d.offset[n] = r.at(-50, 50) * time.Duration(r.pick(2))
			d.Run.Clocks = append(d.Run.Clocks, evidence.ClockReading{Node: n, Offset: d.offset[n], Uncertainty: uncertainty})
		}
	}
}
