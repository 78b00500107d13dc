package record

import (
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
)

type sharedCluster struct {
	cluster.Cluster
	client kubernetes.Interface
}

func (c sharedCluster) Client() kubernetes.Interface { return c.client }

func TestARunBesideAnother(t *testing.T) {
	client := fake.NewClientset(fixtures.Namespace("mine", fixtures.Restricted, fixtures.Run{ID: "now"}),
		fixtures.Namespace("theirs", fixtures.Restricted,
			fixtures.Run{ID: "other", Expires: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}))
	const there = "namespace theirs of run other, which needs it until 2030-01-02 03:04:05 UTC at the latest, was still there, with 0 pods"
	for _, row := range []struct {
		sentence  string
		existing  *harness.Existing
		distrusts int
		says      string
	}{
		{"an app of ours has its cluster to itself", nil, 1, ""},
		{"an app that is there already shares it", &harness.Existing{}, 0,
			there + ": what it sends is load of the same nodes\n"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var out strings.Builder
			r := &Recording{UnderLoad: harness.UnderLoad{Existing: row.existing},
				Config: Config{Cluster: sharedCluster{client: client}, Session: "now", Out: &out}}
			if err := r.checkForLeftovers(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(r.run.Reasons) != row.distrusts || out.String() != row.says {
				t.Errorf("reasons %+v, says %q, want %d and %q", r.run.Reasons, out.String(), row.distrusts, row.says)
			}
		})
	}
}
