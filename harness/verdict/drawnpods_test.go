package verdict_test

import (
	"fmt"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A drawnPod is a pod with the times of its steps, in ms.
type drawnPod struct {
	evidence.Server
	ready, deleted, left, sigterm, exit int
}

// never is later than any recording.
const never = 1 << 30

// drawPods draws pods that live, flap, restart, are killed or stay.
func (d *drawing) drawPods() {
	r := d.random("pods")
	for i := range 3 + r.pick(3) {
		p := drawnPod{Server: drawnServer(r, "v1", i), ready: -100, deleted: d.begun + r.pick(d.gone-d.begun)}
		switch {
		case d.recreate:
			p.deleted = d.begun + r.pick(100)
		case r.chance(15):
			p.deleted = never
		}
		d.pods = append(d.pods, p)
	}
	for i := range 3 + r.pick(3) {
		p := drawnPod{Server: drawnServer(r, "v2", i), ready: d.begun + 50 + r.pick(1500), deleted: never}
		if d.recreate {
			p.ready = d.begun + 2100 + r.pick(300)
		}
		d.pods = append(d.pods, p)
	}
	for i := range d.pods {
		life := drawnLife{d, r, &d.pods[i]}
		life.start()
		life.flap()
		life.end()
		life.restart()
	}
}

func drawnServer(r random, version string, i int) evidence.Server {
	return evidence.Server{Version: version, Pod: fmt.Sprintf("echo-%s-%c", version, 'a'+i), Node: drawnNodes()[r.pick(2)]}
}

// A drawnLife draws the steps of a pod.
type drawnLife struct {
	*drawing
	random
	pod *drawnPod
}

// seen adds a step as a watch saw it, and logged one as the pod's log has it. One in 50 is missing.
func (l drawnLife) seen(kind evidence.EventKind, at int) {
	if !l.chance(2) {
		l.add(evidence.Event{At: time.Duration(at) * ms, Kind: kind, By: l.pod.Server})
	}
}

func (l drawnLife) logged(kind evidence.EventKind, at int) {
	if node := l.pod.Node; !l.chance(2) {
		l.add(evidence.Event{At: time.Duration(at)*ms + l.offset[node], Kind: kind, By: l.pod.Server, Clock: node})
	}
}

// reported adds an Event of the pod's kubelet.
func (l drawnLife) reported(at int, detail string) {
	l.add(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.Reported, By: l.pod.Server, Detail: detail})
}

func (l drawnLife) start() {
	p := l.pod
	created := max(-200, p.ready-100-l.pick(500))
	if p.Version == "v1" {
		created = -200
	}
	if l.chance(85) {
		l.seen(evidence.PodCreated, max(0, created))
	}
	l.logged(evidence.PodStarted, max(0, created+20))
	l.logged(evidence.PodListening, max(0, p.ready+l.pick(60)-30))
	l.seen(evidence.PodReady, max(0, p.ready))
	l.seen(evidence.EndpointReady, max(0, p.ready+5))
}

// flap may make the pod unready for a while.
func (l drawnLife) flap() {
	if !l.chance(15) {
		return
	}
	at := l.pick(l.ended)
	l.seen(evidence.PodUnready, at)
	l.seen(evidence.EndpointNotReady, at+2)
	if l.chance(50) {
		l.reported(at-1, "Unhealthy: Readiness probe failed: context deadline exceeded")
	}
	l.seen(evidence.PodReady, at+200+l.pick(1000))
	l.seen(evidence.EndpointReady, at+205+l.pick(1000))
}

func (l drawnLife) end() {
	p := l.pod
	p.left, p.sigterm, p.exit = never, never, never
	if p.deleted >= l.ended {
		return
	}
	p.left, p.sigterm = p.deleted+l.pick(60), p.deleted+l.pick(800)
	if l.recreate { // for a while all pods terminate, and none has got SIGTERM
		p.sigterm += 300
	}
	p.exit = p.sigterm + l.pick(500)
	l.seen(evidence.PodDeleting, p.deleted)
	if l.chance(30) {
		l.reported(p.deleted+l.pick(1500), "Killing: Stopping container echo")
	}
	l.seen(evidence.EndpointNotReady, p.left)
	l.seen(evidence.EndpointGone, p.left+l.pick(300))
	l.logged(evidence.PodSigterm, p.sigterm)
	exited := evidence.PodExited
	if l.chance(10) {
		exited = evidence.PodKilled
	}
	l.logged(exited, p.exit)
	l.seen(evidence.PodGone, p.exit+l.pick(300))
}

// restart may let the container end and begin again.
func (l drawnLife) restart() {
	if !l.chance(5) {
		return
	}
	at := l.pick(l.ended)
	l.logged(evidence.PodExited, at)
	l.logged(evidence.PodStarted, at+100)
	l.logged(evidence.PodListening, at+150)
}
