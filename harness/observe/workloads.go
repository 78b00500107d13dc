package observe

import (
	appsv1 "k8s.io/api/apps/v1"

	"rollcall/harness/evidence"
)

func (w *Watch) seeReplicaSet(rs *appsv1.ReplicaSet) {
	if rs.Spec.Replicas == nil {
		return
	}
	w.locked(func() {
		if was, seen := w.scaled[rs.Name]; seen && was == *rs.Spec.Replicas {
			return
		}
		w.scaled[rs.Name] = *rs.Spec.Replicas
		w.note(evidence.Event{Kind: evidence.ReplicaSetScaled, Object: rs.Name, Count: int(*rs.Spec.Replicas),
			Detail: rs.Spec.Template.Labels[w.versionLabel]})
	})
}

func (w *Watch) seeDeployment(d *appsv1.Deployment) {
	w.locked(func() { w.workloads[d.Name] = d })
}

func (w *Watch) loseDeployment(d *appsv1.Deployment) {
	w.locked(func() { delete(w.workloads, d.Name) })
}

func (w *Watch) seeStatefulSet(s *appsv1.StatefulSet) {
	w.locked(func() { w.sets[s.Name] = s })
}

func (w *Watch) loseStatefulSet(s *appsv1.StatefulSet) {
	w.locked(func() { delete(w.sets, s.Name) })
}
