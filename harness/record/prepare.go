package record

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/progress"
)

// prepare deploys the old version and the clients, and waits until the app replies to every vantage and nodes' rules route to its pods.
func (r *Recording) prepare(ctx context.Context) error {
	fmt.Fprintln(r.Out, r.Entry.Update(progress.Running{Phase: "deploying"}))
	if err := r.deploy(ctx); err != nil {
		return fmt.Errorf("deploy: %w", err)
	}
	return nil
}

func (r *Recording) deploy(ctx context.Context) error {
	limit := r.stretched(deployTimeout) + 2*r.Streams.Longest // each client asks for one first, and once more where it was late
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not up after %v", limit))
	defer cancel()
	if err := r.createNamespace(ctx); err != nil {
		return err
	}
	service, err := r.Rollout.Deploy(ctx, r.Cluster.Client(), r.into(), r.App, r.Cluster.Door().NodePort)
	if err != nil {
		return err
	}
	if r.Existing == nil { // the app has no clients but ours: no need to know their addresses first
		if err := r.createObservers(ctx, r.flows(service)); err != nil {
			return err
		}
	}
	if r.clients, err = newClients(ctx, r, service); err != nil {
		return err
	}
	if r.Existing != nil {
		if err := r.createObservers(ctx, r.flowsOfClients(service)); err != nil {
			return err
		}
	}
	if err := r.startWatch(ctx, service.Name); err != nil {
		return err
	}
	if err := r.checkForLeftovers(ctx); err != nil {
		return err
	}
	if err := r.observeNodes(ctx); err != nil {
		return err
	}
	if err := r.watch.Until(ctx, func(s observe.State) bool { return r.Rollout.Deployed(s, r.App) }); err != nil {
		return err
	}
	if r.App.Unprobed { // ready before it listens: only its start delay says when it does
		if err := r.pass(ctx, "starting", r.App.StartDelay); err != nil {
			return err
		}
	}
	if err := r.clients.awaitReplies(ctx, r.Existing, r.watch.Knows); err != nil {
		return err
	}
	if err := r.checkFlows(ctx); err != nil {
		return err
	}
	return r.awaitRules(ctx)
}

// awaitRules waits until nodes' rules route to all pods: what is sent before would be spread over some of them, and so would connections
// that are kept from the beginning. If they do not, the load begins without: what it loses by that, the verdict judges.
func (r *Recording) awaitRules(ctx context.Context) error {
	if r.UserApp != nil { // its Service may keep a node's rules to some pods
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, r.stretched(rulesTimeout))
	defer cancel()
	_ = r.watch.Until(limited, observe.State.RoutesToAll)
	return context.Cause(ctx)
}

// createNamespace creates the leased namespace and prepares it for pods.
func (r *Recording) createNamespace(ctx context.Context) error {
	if r.Disruption != nil {
		r.Lease.Run.Expires = r.Lease.Run.Expires.Add(r.Disruption.Limit())
	}
	if err := r.Lease.Create(ctx, r.Cluster.Client()); err != nil {
		return err
	}
	return r.Lease.AddPullSecret(ctx, r.Cluster.Client(), r.PullSecret)
}

// startWatch starts to watch the app's pods, by the label with their version, and the endpoints of its Service.
func (r *Recording) startWatch(ctx context.Context, service string) (err error) {
	scope := observe.Scope{Namespace: r.Lease.Name, Service: service, VersionLabel: fixtures.VersionLabel, LaneSuffix: r.laneSuffix}
	if r.Stretch > 1 {
		scope.APITimeout = blindAfter
	}
	if r.UserApp != nil { // none of the pods in the namespace is of it
		scope.VersionLabel, scope.NoLogs = "", true
	}
	if r.Existing != nil {
		scope.Existing = r.Existing.Pods
	}
	sink := observe.Sink(r.recorder)
	if r.Sink != nil {
		sink = r.Sink(sink)
	}
	if r.watch, err = observe.Start(ctx, r.Cluster.Client(), scope, r.began, sink); err != nil {
		return err
	}
	return r.measureWaits(ctx)
}

// measureWaits starts to measure how long processes wait for a processor, where the nodes are containers on this host.
func (r *Recording) measureWaits(ctx context.Context) error {
	here, ok := r.Cluster.(interface {
		NodeContainers(ctx context.Context) (map[string]string, error)
	})
	if !ok {
		return nil
	}
	nodes, err := here.NodeContainers(ctx)
	if err != nil {
		return err
	}
	r.waits, err = observe.MeasureCPUWait(observe.CPUWaitSources{Nodes: nodes, Pod: r.watch.PodOf, Began: r.began, Note: r.recorder.Event})
	if err != nil {
		fmt.Fprintf(r.Out, "cannot measure waits for a processor, so this host's delays may be blamed on the cluster: %v\n", err)
	}
	return nil
}

// checkForLeftovers distrusts the recording if the cluster still has namespaces of another run. If the app runs there already, it shares
// the cluster with others anyway: then a line is printed instead.
// If another run makes nodes slow, lanes show it.
func (r *Recording) checkForLeftovers(ctx context.Context) error {
	if r.Lease.Preassigned {
		return nil // without the right to create namespaces we cannot list them either
	}
	found, err := namespace.OfOthers(ctx, r.Cluster.Client(), r.Session)
	for _, because := range found {
		if r.Existing != nil {
			fmt.Fprintln(r.Out, because+": what it sends is load of the same nodes")
			continue
		}
		r.distrust(evidence.Reason{ID: evidence.UncleanCluster, Because: because, Scope: doubtful()})
	}
	return err
}

// doubtful returns the scope of a reason that may have affected everything in the recording.
func doubtful() evidence.Scope {
	return evidence.Scope{Missed: evidence.Subjects(), Doubted: evidence.Subjects()}
}

// flows returns which connections the observers listen to: those to the addresses of the app's Service and to its node port; none
// where listening is not allowed.
func (r *Recording) flows(service *corev1.Service) (f fixtures.Flows) {
	if r.Cluster.CannotListen() != "" || len(service.Spec.Ports) == 0 { // the Service that stands for a URL has no ports
		return f
	}
	port, rpcs := fixtures.HTTPPort(service), fixtures.GRPCServicePort(service)
	for _, ip := range service.Spec.ClusterIPs {
		f.To = append(f.To, net.JoinHostPort(ip, strconv.Itoa(int(port.Port))))
		if rpcs != nil && r.UserApp == nil {
			f.To = append(f.To, net.JoinHostPort(ip, strconv.Itoa(int(rpcs.Port))))
		}
	}
	if port.NodePort != 0 {
		f.To = append(f.To, fmt.Sprintf(":%d", port.NodePort))
	}
	return f
}

// flowsOfClients returns the same, limited to connections from our clients.
func (r *Recording) flowsOfClients(service *corev1.Service) fixtures.Flows {
	f := r.flows(service)
	for _, lane := range r.clients.lanes {
		if lane.Client != "" && !slices.Contains(f.From, lane.Client) {
			f.From = append(f.From, lane.Client)
		}
	}
	return f
}

// createObservers creates the observers of every node's rules and of flows, where the cluster allows them.
func (r *Recording) createObservers(ctx context.Context, flows fixtures.Flows) (err error) {
	if r.boots, err = r.Cluster.Boots(ctx); err != nil {
		return err
	}
	if because := r.Cluster.CannotObserve(); because != "" {
		r.run.Lacks = append(r.run.Lacks, evidence.Feature{Name: evidence.NodeRules, Because: because})
		return nil
	}
	client, into := r.Cluster.Client(), r.into()
	into.Namespace = r.Lease.Observers()
	nodes, lacking, err := observable(ctx, client)
	if err != nil {
		return err
	}
	for _, lack := range lacking {
		fmt.Fprintf(r.Out, "%s is not observed: %s\n", lack.Name, lack.Because)
	}
	r.run.Lacks = append(r.run.Lacks, lacking...)
	r.observers = &observers{pods: client.CoreV1().Pods(into.Namespace), sets: client.AppsV1().DaemonSets(into.Namespace), nodes: nodes,
		listen: len(flows.To) > 0}
	if err := r.Lease.CreateForObservers(ctx, client); err != nil {
		return err
	}
	set := fixtures.ObserverSet(into, r.observers.nodes, r.Stretch > 1, flows)
	r.observers.set, err = r.observers.sets.Create(ctx, set, metav1.CreateOptions{})
	return err
}

// observeNodes waits until the rules of every node are observed, if there are observers.
func (r *Recording) observeNodes(ctx context.Context) error {
	if r.observers == nil {
		return nil
	}
	if err := r.observers.follow(ctx, r.watch); err != nil {
		return fmt.Errorf("observe the nodes' rules: %w", err)
	}
	if !slices.Contains(dataplane.Names(), r.run.Mode) && r.observers.lacks == "" {
		r.run.ObservedMode = r.observers.mode
	}
	if r.observers.lacks != "" {
		r.run.Lacks = append(r.run.Lacks, evidence.Feature{Name: evidence.NodeRules, Because: r.observers.lacks})
		if r.observers.some || !r.Cluster.Attached() {
			r.distrust(evidence.Reason{ID: evidence.ProxyMissing, Because: r.observers.lacks + ", and was expected to have one", Scope: doubtful()})
		}
	}
	return nil
}
