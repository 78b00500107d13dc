package record

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"example.com/rollcall/harness/evidence"
)

// rest stops what measures and sends, and tells whoever waits for that.
func (r *Recording) rest(ctx context.Context) {
	r.stopNames()
	if r.clients != nil {
		_ = r.clients.stop(ctx) // not stopped yet if a stage failed; collect notes errors
	}
	r.waits.Stop()
	if r.tooMuch == "" {
		r.Rested()
	}
}

// collect waits until the recorder has all that clients, the watch and the observers saw, or notes what is missing.
func (r *Recording) collect(ctx context.Context) {
	if r.clients != nil {
		r.distrust(r.clients.collect(ctx)...)
		r.run.Lanes, r.run.Clocks = r.clients.lanes, shareClocks(r.clients.clocks, r.boots)
		r.run.Absences = r.clients.absences
		for _, e := range append(awayEvents(r.run.Absences, r.run.Lanes), r.clients.noted...) {
			r.recorder.Event(e)
		}
	}
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
	r.run.Foreign = r.watch.Foreign()
}

// shareClocks gives each node without clock readings those of a node with the same boot of the same kernel: it has
// the same clock. All nodes of a kind cluster share one kernel.
func shareClocks(readings []evidence.ClockReading, boots map[string]string) []evidence.ClockReading {
	read := map[string]bool{}
	byBoot := map[string][]evidence.ClockReading{}
	for _, r := range readings {
		read[r.Node] = true
		if boot := boots[r.Node]; boot != "" {
			byBoot[boot] = append(byBoot[boot], r)
		}
	}
	for _, node := range slices.Sorted(maps.Keys(boots)) {
		if read[node] {
			continue
		}
		for _, r := range byBoot[boots[node]] {
			r.Node = node
			readings = append(readings, r)
		}
	}
	return readings
}
