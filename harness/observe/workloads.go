package observe

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/evidence"
)

// A workloadTracker notes when ReplicaSets are scaled and how the app's workloads are changed, and keeps Deployments and StatefulSets as
// last seen.
type workloadTracker struct {
	*specTracker[workloadSpec] // of the app's, by names such as Deployment/web
	version                    versions
	deployments                map[string]*appsv1.Deployment  // by name, as are the rest
	statefulSets               map[string]*appsv1.StatefulSet // nothing changes these objects
	replicas                   map[string]int32               // spec.replicas of ReplicaSets
}

// A workloadSpec is what counts of the spec of a Deployment, StatefulSet or DaemonSet.
type workloadSpec struct {
	replicas int32 // 0 of a DaemonSet
	template corev1.PodTemplateSpec
	paused   bool
	strategy any // or updateStrategy
}

func newWorkloadTracker(j *journal, version versions) *workloadTracker {
	specs := newSpecTracker(j, evidence.WorkloadChanged, workloadChanges)
	specs.count = func(s workloadSpec) int { return int(s.replicas) }
	return &workloadTracker{specs, version, map[string]*appsv1.Deployment{}, map[string]*appsv1.StatefulSet{}, map[string]int32{}}
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

func (t *workloadTracker) seeDeployment(d *appsv1.Deployment, existed bool) {
	spec := workloadSpec{ptr.Deref(d.Spec.Replicas, 1), d.Spec.Template, d.Spec.Paused, d.Spec.Strategy}
	t.change(func() {
		t.deployments[d.Name] = d
		t.see("Deployment/"+d.Name, spec, existed)
	})
}

func (t *workloadTracker) loseDeployment(d *appsv1.Deployment) {
	t.change(func() { delete(t.deployments, d.Name); t.lose("Deployment/" + d.Name) })
}

func (t *workloadTracker) seeStatefulSet(s *appsv1.StatefulSet, existed bool) {
	spec := workloadSpec{ptr.Deref(s.Spec.Replicas, 1), s.Spec.Template, false, s.Spec.UpdateStrategy}
	t.change(func() {
		t.statefulSets[s.Name] = s
		t.see("StatefulSet/"+s.Name, spec, existed)
	})
}

func (t *workloadTracker) loseStatefulSet(s *appsv1.StatefulSet) {
	t.change(func() { delete(t.statefulSets, s.Name); t.lose("StatefulSet/" + s.Name) })
}

func (t *workloadTracker) seeDaemonSet(d *appsv1.DaemonSet, existed bool) {
	t.change(func() {
		t.see("DaemonSet/"+d.Name, workloadSpec{0, d.Spec.Template, false, d.Spec.UpdateStrategy}, existed)
	})
}

func (t *workloadTracker) loseDaemonSet(d *appsv1.DaemonSet) {
	t.change(func() { t.lose("DaemonSet/" + d.Name) })
}

// see takes in a workload of the app, also one whose template no longer makes pods of the app. The caller holds the lock.
func (t *workloadTracker) see(object string, is workloadSpec, existed bool) {
	_, known := t.last[object]
	if _, ofApp := t.version(is.template.Labels, is.template.Spec); ofApp || known {
		t.specTracker.see(object, is, existed)
	}
}

// workloadChanges says what differs between two specs of a workload.
func workloadChanges(was, is workloadSpec) []string {
	said := changed(field{"replicas", was.replicas, is.replicas})
	if !equality.Semantic.DeepEqual(was.template, is.template) {
		said = append(said, "template")
	}
	if was.paused != is.paused {
		said = append(said, map[bool]string{true: "paused", false: "resumed"}[is.paused])
	}
	if !equality.Semantic.DeepEqual(was.strategy, is.strategy) {
		said = append(said, "strategy")
	}
	return said
}

// fill adds the workloads to a state; the caller holds the lock.
func (t *workloadTracker) fill(s *State) {
	s.Deployments, s.StatefulSets = maps.Clone(t.deployments), maps.Clone(t.statefulSets)
}
