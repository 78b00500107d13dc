package record

import (
	"context"
	"fmt"

	"example.com/rollcall/harness/evidence"
)

// collect returns when all that clients, the watch and the observers saw is with the recorder, or it is noted what is not.
func (r *Recording) collect(ctx context.Context) {
	r.stopNames()
	if r.clients != nil {
		_ = r.clients.stop(ctx) // again, if a stage failed; collect tells of errors
		r.distrust(r.clients.collect(ctx, r.began)...)
		r.run.Lanes, r.run.Clocks = r.clients.lanes, shareClocks(r.clients.clocks, r.boots)
		r.run.Absences = r.clients.absences
		for _, e := range append(awayEvents(r.run.Absences, r.run.Lanes), r.clients.noted...) {
			r.recorder.Event(e)
		}
	}
	r.waits.Stop()
	if r.watch == nil {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, collectTimeout, fmt.Errorf("not done in %v", collectTimeout))
	defer cancel()
	if r.observers != nil {
		if err := r.observers.stop(ctx); err != nil {
			r.distrust(evidence.Reason{ID: evidence.ObserverLost, Because: err.Error(),
				Scope: evidence.Scope{Missed: []evidence.Subject{evidence.AboutNodeRules}}})
		}
	}
	r.watch.Stop(ctx)
}

// shareClocks gives each node whose clock was not read the readings of one that runs on the same boot of the
// same kernel, as all nodes of a kind cluster do: it has the same clock.
func shareClocks(readings []evidence.ClockReading, boots map[string]string) []evidence.ClockReading {
	read := map[string]bool{}
	byBoot := map[string][]evidence.ClockReading{}
	for _, r := range readings {
		read[r.Node] = true
		if boot := boots[r.Node]; boot != "" {
			byBoot[boot] = append(byBoot[boot], r)
		}
	}
	for node, boot := range boots {
		if read[node] {
			continue
		}
		for _, r := range byBoot[boot] {
			r.Node = node
			readings = append(readings, r)
		}
	}
	return readings
}
