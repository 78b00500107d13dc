package record

import (
	"context"
	"errors"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
)

// Limits of the diagnostics.
const (
	fileLimit   = 1 << 20  // bytes
	folderLimit = 20 << 20 // bytes
	podLines    = 200
	nodeLines   = 500
)

// Diagnose writes into dir what a person would look at in the cluster after a scenario did not pass. The verdict does not
// depend on whether this succeeds.
func (r *Recording) Diagnose(ctx context.Context, dir string) {
	if ctx.Err() != nil || r.Cluster == nil {
		return // the run is being aborted, or there is no cluster
	}
	from := source{Client: r.Cluster.Client(), Namespace: r.Lease.Name}
	if ours, err := cluster.Ours(r.Cluster); err == nil {
		from.Nodes, from.OnNode, from.Proxy = ours.Nodes(), ours.Exec, ours.Plane().Proxy
	}
	if err := collectDiagnostics(ctx, dir, from); err != nil {
		fmt.Fprintf(r.Out, "%s %s: %v\n", r.run.Mode, r.run.Scenario, err)
	}
}

// A source of diagnostics is a cluster and the namespace that a scenario used.
type source struct {
	Client    kubernetes.Interface
	Namespace string
	Nodes     []string         // nodes on which OnNode can run commands; empty: none
	Proxy     *dataplane.Proxy // of those nodes
	// OnNode runs a shell script on a node, until ctx ends, and returns its output. It is called for several nodes at once.
	OnNode func(ctx context.Context, node, script string) (string, error)
}

// collectDiagnostics makes the folder dir and writes into it, without secrets:
//
//	README.txt            a list of the files, and what is missing and why
//	<objects>.yaml        events, EndpointSlices, Services, pods and workloads of the namespace, and the nodes
//	logs/<namespace>/<pod>/<container>[.previous].log
//	nodes/<node>/...      rules, connection tracking, the proxy's metrics and the kubelet's log
//
// It takes at most 30 s and writes at most 20 MiB, no file over 1 MiB. It returns an error only if the folder itself could not
// be written, which is not a reason to fail a run either.
func collectDiagnostics(ctx context.Context, dir string, from source) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, diagnosticsTimeout, fmt.Errorf("collecting took longer than %s", diagnosticsTimeout))
	defer cancel()
	f, err := open(dir)
	if err != nil {
		return fmt.Errorf("diagnostics: open folder: %w", err)
	}
	var all sync.WaitGroup // side by side, so that a source that does not answer delays no other
	all.Go(func() { from.objects(ctx, f) })
	all.Go(func() { from.logs(ctx, f, from.Namespace, "") })
	for _, proxy := range dataplane.Proxies() {
		all.Go(func() { from.logs(ctx, f, metav1.NamespaceSystem, proxy.Selector) })
	}
	all.Go(func() { from.nodes(ctx, f) })
	all.Wait()
	if err := errors.Join(f.readme(from.Namespace), f.close()); err != nil {
		return fmt.Errorf("diagnostics: write folder: %w", err)
	}
	return nil
}
