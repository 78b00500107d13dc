package observe

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"

	"example.com/rollcall/harness/evidence"
)

// A workloadTracker notes when ReplicaSets are scaled, and keeps Deployments and StatefulSets as last seen.
type workloadTracker struct {
	*journal
	version      versions
	deployments  map[string]*appsv1.Deployment  // by name, as are the rest
	statefulSets map[string]*appsv1.StatefulSet // nothing changes these objects
	replicas     map[string]int32               // spec.replicas of ReplicaSets
}

func newWorkloadTracker(j *journal, version versions) *workloadTracker {
	return &workloadTracker{j, version, map[string]*appsv1.Deployment{}, map[string]*appsv1.StatefulSet{}, map[string]int32{}}
}

func (t *workloadTracker) seeReplicaSet(rs *appsv1.ReplicaSet) {
	version, ofApp := t.version(rs.Spec.Template.Labels, rs.Spec.Template.Spec)
	if rs.Spec.Replicas == nil || !ofApp {
		return
	}
	t.change(func() {
		if was, seen := t.replicas[rs.Name]; seen && was == *rs.Spec.Replicas {
			return
		}
		t.replicas[rs.Name] = *rs.Spec.Replicas
		t.note(evidence.Event{Kind: evidence.ReplicaSetScaled, Object: rs.Name, Count: int(*rs.Spec.Replicas),
			Detail: version})
	})
}

// fill adds the workloads to a state; the caller holds the lock.
func (t *workloadTracker) fill(s *State) {
	s.Deployments, s.StatefulSets = maps.Clone(t.deployments), maps.Clone(t.statefulSets)
}
