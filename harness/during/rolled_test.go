package during

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/harness/userapp"
)

// A Service may lead to pods of several workloads, and of Jobs: version and facts are of what is rolled out.
func TestWhatIsRolledOut(t *testing.T) {
	of := func(name, kind, hash string) corev1.Pod {
		return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"pod-template-hash": hash},
			OwnerReferences: []metav1.OwnerReference{{Kind: kind, Name: name, Controller: new(true)}}},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "of-" + hash}}}}
	}
	job, first := of("a", "Job", "job"), of("b", "ReplicaSet", "one")
	second, other := of("c", "ReplicaSet", "two"), of("d", "ReplicaSet", "two")
	one, two := workload{kind: "Deployment", name: "one"}, workload{kind: "Deployment", name: "two"}
	jobs, cron := workload{kind: "Job", name: "job"}, workload{kind: "CronJob", name: "nightly"}
	rolls := Workload{"Deployment", "one", func(p *corev1.Pod) bool { return p.Labels["pod-template-hash"] == "one" }}
	for _, row := range []struct {
		sentence  string
		rolls     Workload
		workloads []workload
		pods      []corev1.Pod
		version   string
		workload  string // empty: it is not known
	}{
		{"the first pod of the list is a Job's", Workload{}, []workload{jobs, one}, []corev1.Pod{job, first}, "one", "deployment one"},
		{"a CronJob's Jobs are never rolled out", Workload{}, []workload{cron, one}, []corev1.Pod{job, job, first}, "one", "deployment one"},
		{"a command may roll any of two out", Workload{}, []workload{one, two}, []corev1.Pod{first, second, other}, "two", ""},
		{"a change of ours rolls out the one that has fewer pods", rolls, []workload{one, two}, []corev1.Pod{second, other, first}, "one",
			"deployment one"},
		{"its workload may not be read", rolls, []workload{two}, []corev1.Pod{second, first}, "one", ""},
		{"a Job's pods alone", Workload{}, []workload{jobs}, []corev1.Pod{job}, "job", ""},
	} {
		a := &userApp{rolls: row.rolls, workloads: row.workloads}
		rolled := a.rolled(row.pods)
		if got := commonest(rolled); got != row.version {
			t.Errorf("%s: version %q, want %q", row.sentence, got, row.version)
		}
		w, known := a.workload()
		if known != (row.workload != "") || known && w.String() != row.workload {
			t.Errorf("%s: %s, %v, want %q", row.sentence, w, known, row.workload)
		}
		facts := userapp.FactsOf(ofVersion(rolled, row.version).Spec, corev1.ServicePort{TargetPort: intstr.FromInt32(80)})
		if facts.Answers != "of-"+row.version {
			t.Errorf("%s: facts are of container %s", row.sentence, facts.Answers)
		}
		if jobs := slices.ContainsFunc(rolled, func(p corev1.Pod) bool { return p.Name == "a" }); jobs != (row.version == "job") {
			t.Errorf("%s: a Job's pod counts: %v", row.sentence, jobs)
		}
	}
}
