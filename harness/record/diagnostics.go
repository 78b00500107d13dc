package record

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness/command"
)

// Bounds of what is collected.
const (
	fileLimit          = 1 << 20  // bytes
	folderLimit        = 20 << 20 // bytes
	podLines           = 200
	nodeLines          = 500
	diagnosticsTimeout = 30 * time.Second
)

// Diagnose puts into dir what a person would look at in the cluster now that the scenario did not pass. It is no
// matter to the verdict whether it can be had.
func (r *Recording) Diagnose(ctx context.Context, dir string) {
	if ctx.Err() != nil || r.Cluster == nil {
		return // everybody is in a hurry, or there is none
	}
	from := source{Client: r.Cluster.Client(), Namespace: r.Lease.Name, Nodes: r.Cluster.Nodes(),
		OnNode: func(ctx context.Context, node, line string) (string, error) {
			return command.Command{Line: fmt.Sprintf("docker exec %s %s", node, line)}.Run(ctx)
		}}
	if err := collectDiagnostics(ctx, dir, from); err != nil {
		fmt.Fprintf(r.Out, "%s %s: %v\n", r.run.Mode, r.run.Scenario, err)
	}
}

// A source of diagnostics is a cluster and the part of it that a scenario used.
type source struct {
	Client    kubernetes.Interface
	Namespace string
	Nodes     []string // that run commands for us; empty: there is no such way
	// OnNode runs a command line on one of them, until ctx ends, and returns what it printed. It is called for several at once.
	OnNode func(ctx context.Context, node, line string) (string, error)
}

// collectDiagnostics writes into the folder dir, which it makes, without secrets:
//
//	README.txt            what is here, and what is not and why
//	<objects>.yaml        events, EndpointSlices, Services, pods and workloads of the namespace, and the nodes
//	logs/<namespace>/<pod>/<container>[.previous].log
//	nodes/<node>/...      rules, connection tracking, kube-proxy's metrics and the kubelet's log
//
// It takes at most 30 s and leaves at most 20 MiB, no file over 1 MiB. What could not be had is in README.txt. The
// error is that the folder itself could not be written, which is no reason to fail a run either.
func collectDiagnostics(ctx context.Context, dir string, from source) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, diagnosticsTimeout, fmt.Errorf("collecting took longer than %s", diagnosticsTimeout))
	defer cancel()
	f, err := open(dir)
	if err != nil {
		return fmt.Errorf("diagnostics: open folder: %w", err)
	}
	var all sync.WaitGroup // apart, so that what does not answer holds up nothing else
	all.Go(func() { from.objects(ctx, f) })
	all.Go(func() { from.logs(ctx, f, from.Namespace, "") })
	all.Go(func() { from.logs(ctx, f, metav1.NamespaceSystem, "k8s-app=kube-proxy") })
	all.Go(func() { from.nodes(ctx, f) })
	all.Wait()
	if err := errors.Join(f.readme(from.Namespace), f.close()); err != nil {
		return fmt.Errorf("diagnostics: write folder: %w", err)
	}
	return nil
}
