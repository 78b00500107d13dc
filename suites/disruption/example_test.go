package disruption

import (
	"fmt"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// app: a process of the app that is ended in the middle of a rollout, as the kernel's OOM killer does.
func app() []harness.Scenario {
	return []harness.Scenario{
		inRollout("an app that is killed in the middle of a rollout fails requests until its kubelet has started it again", paced(),
			disruption.Disruption{
				ID: "app-killed-in-rollout", Does: "an app on worker is killed in the middle of a rollout", Nodes: onWorker,
				Expects: []string{"pod-log-lost"}, After: 3 * time.Second, Lasts: 5 * time.Second,
				Do: disruption.AppKilled(disruption.Worker),
			}, verdict.DamageSeen().On(evidence.Fresh), verdict.RecoversWithin(5*time.Second, evidence.DisruptionBegun)),
	}
}

func Example() {
	for _, s := range app() {
		fmt.Println(s.ID, s.UnderLoad().Disruption.After)
	}
	// Output: app-killed-in-rollout 3s
}
