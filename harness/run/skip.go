package run

import (
	"context"
	"fmt"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/provision"
	"example.com/rollcall/harness/verdict"
)

// versioned adds the versions that tell whether the cluster has the bug that the scenario is about, if it is about one.
func versioned(ctx context.Context, c cluster.Cluster, run evidence.Run) evidence.Run {
	if run.Bug == nil {
		return run
	}
	run.Kubernetes = c.Kubernetes()
	if versions, err := change.Versions(ctx, c, kube.Component(run.Bug.Component)); err == nil { // else the API server's counts
		run.ComponentVersions = versions
	}
	return run
}

// skipReason returns why the cluster lacks something that a scenario requires, does not let us use it, or has another version than those
// that it is about; empty if nothing is in the way.
func (p Plan) skipReason(c cluster.Cluster, s harness.Scenario) string {
	if !c.Attached() {
		if fresh := s.UnderLoad().FreshCluster; fresh != nil {
			return provision.NoUpgrade(fresh.Upgrades...)
		}
		return ""
	}
	if because := verdict.OtherRelease(s.Expect, c.Kubernetes()); because != "" {
		return because
	}
	for _, name := range s.Requires() {
		if because := p.Target.Forbidden(name); because != "" {
			return because
		}
		for _, feature := range c.Features() {
			if feature.Name == name && !feature.Supported {
				return fmt.Sprintf("this cluster lacks %s: %s", feature.Name, feature.Because)
			}
		}
	}
	return ""
}

// Skip records in the run folder and on the board that a scenario is skipped in a mode.
func (r *Run) Skip(suite, mode string, s harness.Scenario, because string) error {
	return r.skip(header(suite, mode, s), because)
}

func (r *Run) skip(run evidence.Run, because string) error {
	run.Attempt, run.Tries, run.Skipped = 1, 1, because
	r.board.Entry(progress.Name{Mode: run.Mode, Suite: run.Suite, Scenario: run.Scenario}).End(progress.Result{
		Outcome: verdict.Skipped.String(), Because: because})
	return store.Write(r.folder(run.Mode, run.Suite, run.Scenario, 1), evidence.Evidence{Run: run})
}
