package mutants

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/verdict"
)

const controller = disruption.ControllerManager

// controlPlaneMutants damage the control plane and kubelets.
func controlPlaneMutants() []Mutant {
	return []Mutant{
		{ID: "controller-manager-stopped",
			Damages: "an old pod is deleted while the controller manager is stopped until 1 s after its SIGTERM: no slice changes",
			Of:      drained, When: begun(0), Do: disruption.Together( // it is stopped by a program on the node, which has 3 s to start
				disruption.Stopped(controlPlane, controller, 9*time.Second), disruption.Later(3*time.Second, disruption.PodDeleted)),
			Want: verdict.Fail, Cause: "rules-before-sigterm"},
		{ID: "scheduler-stopped",
			Damages: "the scheduler is stopped for 11 s when old pods are about to end, and nobody may go unanswered for over 10 s",
			Of:      "statusgap/recreate", Change: expecting(verdict.Pause(0, 10*time.Second)),
			When: Moment{Event: evidence.PodDeleting, Version: harness.OldVersion, After: 4 * time.Second},
			Do:   disruption.Stopped(controlPlane, "kube-scheduler", 11*time.Second), Want: verdict.Fail, Cause: "pause"},
		{ID: "api-server-stopped", Damages: "the API server is stopped for 5 s: a watch sees nothing", Of: drained, When: begun(time.Second),
			Do: disruption.Stopped(controlPlane, "kube-apiserver", 5*time.Second), Want: verdict.Inconclusive, Cause: "watch-blind"},
		{ID: "controller-manager-late", Damages: "the controller manager is stopped for 6 s when a new pod is there, before it is ready",
			Of:   "statusgap/availability-at-once",
			When: Moment{Event: evidence.PodCreated, Version: harness.NewVersion}, Do: disruption.Stopped(controlPlane, controller, 6*time.Second),
			Want: verdict.Fail, Cause: "fact-within"},
		{ID: "kubelet-stopped", Damages: "the kubelet of a pod that was deleted is stopped for 12 s: its hook begins late",
			Of:   "termination/hook-sleep",
			When: Moment{Event: evidence.PodReady, After: time.Second},
			Do:   disruption.Together(disruption.Stopped(worker, "kubelet", 12*time.Second), disruption.Stopped(worker2, "kubelet", 12*time.Second)),
			Want: verdict.Fail, Cause: "between"},
		{ID: "node-not-ready", Damages: "a node is said to be not ready for 7 s", Of: drained, When: begun(time.Second),
			Change: expecting(verdict.MinAvailable(3)), Do: nodeUnready(worker), Want: verdict.Inconclusive, Cause: "node-unready"},
		{ID: "leftover-namespace", Damages: "a namespace of another run is still there", Of: drained, Do: leftover, Want: verdict.Inconclusive,
			Cause: "unclean-cluster"},
	}
}

// leftover creates a namespace as another run would have left it, until the load ends.
func leftover(ctx context.Context, s disruption.Stage) error {
	left := fixtures.Namespace("rollcall-left-over", fixtures.Restricted,
		fixtures.Run{ID: "another", Expires: time.Now().Add(time.Hour)})
	return untilLoadEnds(ctx, s.Cluster.Client().CoreV1().Namespaces(), left)
}

// nodeUnready sets a node's Ready condition to False, again and again for longer than the 5 s at which the controller manager
// checks nodes; its kubelet sets it to True in between.
func nodeUnready(node string) disruption.Act {
	return func(ctx context.Context, s disruption.Stage) error {
		patch := []byte(`{"status":{"conditions":[{"type":"Ready","status":"False","reason":"Mutant"}]}}`)
		for range 7 {
			_, err := s.Cluster.Client().CoreV1().Nodes().Patch(ctx, s.Cluster.Name()+"-"+node, types.StrategicMergePatchType, patch,
				metav1.PatchOptions{}, "status")
			if err != nil {
				return err
			}
			poll.Pause(ctx, time.Second)
		}
		return nil
	}
}
