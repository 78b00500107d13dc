package record

import (
	"context"
	"errors"
	"io"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/namespace"
)

// A changedCluster is one of ours, on which nothing but the API is there.
type changedCluster struct {
	cluster.Changeable
	client    kubernetes.Interface
	condemned string
}

func (c *changedCluster) Client() kubernetes.Interface { return c.client }

func (c *changedCluster) Condemn(because string) error {
	c.condemned = because
	return nil
}

// Else the next scenario would be recorded with settings that are not its own.
func TestAClusterWhoseChangesCannotBeUndoneIsNotUsedAgain(t *testing.T) {
	stuck := errors.New("not every kube-proxy ready after 2m0s")
	for _, row := range []struct {
		sentence string
		undo     error
		because  string
	}{
		{"all changes are undone", nil, ""},
		{"one is not", stuck, stuck.Error()},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			c := &changedCluster{client: fake.NewClientset()}
			r := &Recording{Config: Config{Cluster: c, Lease: namespace.Lease{Name: "test"}, Out: io.Discard}}
			order := ""
			for _, change := range []struct {
				name  string
				fails error
			}{{"first", nil}, {"second", row.undo}} {
				r.undo = append(r.undo, func(context.Context) error { order += change.name + " "; return change.fails })
			}
			if err := r.Cleanup(t.Context(), false); !errors.Is(err, row.undo) || order != "second first " {
				t.Errorf("error %v; undone: %s", err, order)
			}
			if c.condemned != row.because {
				t.Errorf("condemned: %q, want %q", c.condemned, row.because)
			}
		})
	}
}
