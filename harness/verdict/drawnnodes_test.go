package verdict_test

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// drawNodes draws the rules of nodes, which follow late, never or unseen, or are not read at all.
func (d *drawing) drawNodes() {
	r := d.random("nodes")
	switch {
	case r.chance(20):
		d.Run.Lacks = []evidence.Feature{{Name: evidence.NodeRules, Because: "not allowed"}}
		return
	case r.chance(25):
		return
	}
	for _, n := range drawnNodes() {
		rule := func(kind evidence.EventKind, at int, p drawnPod) {
			d.add(evidence.Event{At: time.Duration(at)*ms + d.offset[n], Clock: n, Kind: kind, Object: n, By: p.Server})
		}
		d.add(evidence.Event{At: 0, Clock: n, Kind: evidence.RulesBegun, Object: n, Detail: "iptables"})
		for _, p := range d.pods {
			if r.chance(3) {
				continue
			}
			rule(evidence.RuleAdded, max(0, p.ready+20), p)
			if p.left < d.ended && !r.chance(5) {
				rule(evidence.RuleGone, p.left+r.pick(700)-10, p)
			}
		}
		for at := 1000; at < d.ended; at += 1000 {
			d.add(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.NodeBusy, Object: n, Count: r.pick(1000)})
		}
		if r.chance(15) {
			d.add(evidence.Event{At: r.at(0, d.ended), Kind: evidence.RulesUnseen, Object: n, Count: r.pick(600)})
		}
	}
}

// drawRecorders draws a slow API server, processes that wait, and what else makes a recording less certain.
func (d *drawing) drawRecorders() {
	r := d.random("recorders")
	for at := 0; at < d.ended; at += 1000 {
		took := r.pick(5)
		if r.chance(5) {
			took = r.pick(1500)
		}
		d.add(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.APIAnswered, Count: took})
	}
	if r.chance(60) {
		d.drawWaits(r)
	}
	for _, seldom := range []struct {
		percent int
		event   evidence.Event
	}{
		{10, evidence.Event{Kind: evidence.WatchGap, Detail: "it broke"}},
		{5, evidence.Event{Kind: evidence.NodeUnready, Object: drawnNodes()[r.pick(2)]}},
		{5, evidence.Event{Kind: evidence.RecorderLost, Object: drawnNodes()[r.pick(2)], Detail: "x"}},
		{5, evidence.Event{Kind: evidence.StrayPod, By: evidence.Server{Pod: "stray", Version: "v9"}, Object: "echo-x",
			Detail: "its labels match"}},
	} {
		if r.chance(seldom.percent) {
			seldom.event.At = r.at(0, d.ended)
			d.add(seldom.event)
		}
	}
}

// drawWaits draws processes that wait for a processor.
func (d *drawing) drawWaits(r random) {
	d.add(evidence.Event{At: 0, Kind: evidence.CPUWaitBegun})
	for range r.pick(20) {
		e := evidence.Event{At: r.at(100, d.ended), Kind: evidence.CPUWait, For: 100 * ms, Count: r.pick(100)}
		p, node := d.pods[r.pick(len(d.pods))], drawnNodes()[r.pick(2)]
		switch r.pick(4) {
		case 0:
			e.By, e.Object = p.Server, p.Node
		case 1:
			e.Object, e.Detail = node, "kubelet"
		case 2:
			e.Object, e.Detail = node, "kube-proxy"
		case 3:
			e.Object, e.Detail = "control-plane", "kube-apiserver"
		}
		d.add(e)
	}
}
