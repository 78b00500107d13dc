package harness

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubectl/pkg/util/deployment"

	"example.com/rollcall/fixtures"
)

func TestHistory(t *testing.T) {
	set := func(name, version, revision, was string) *appsv1.ReplicaSet {
		rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name,
			Annotations: map[string]string{deployment.RevisionAnnotation: revision, deployment.RevisionHistoryAnnotation: was}}}
		rs.Spec.Template.Labels = map[string]string{fixtures.VersionLabel: version}
		return rs
	}
	for _, row := range []struct {
		sentence string
		sets     []*appsv1.ReplicaSet
		want     string
	}{
		{"no ReplicaSet", nil, ""},
		{"sorted by revision, not by name", []*appsv1.ReplicaSet{set("a", "v2", "2", ""), set("b", "v1", "1", "")}, "1 v1, 2 v2"},
		{"revisions are sorted as numbers", []*appsv1.ReplicaSet{set("a", "v2", "10", ""), set("b", "v1", "9", "")}, "9 v1, 10 v2"},
		{"a ReplicaSet after a rollback has its earlier revision",
			[]*appsv1.ReplicaSet{set("a", "v1", "3", "1"), set("b", "v2", "2", "")}, "2 v2, 3 v1 that was 1"},
	} {
		client := fake.NewClientset()
		for _, rs := range row.sets {
			if err := client.Tracker().Add(rs); err != nil {
				t.Fatal(err)
			}
		}
		if got := (&Steps{Client: client, Namespace: "n"}).History(t.Context()); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
