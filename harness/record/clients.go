package record

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

// clients are the load agents of a recording: one on each worker, and one outside the cluster.
type clients struct {
	lanes      []evidence.Lane
	timeout    time.Duration     // per request; 0: it is chosen by the first replies
	firstReply time.Duration     // the slowest of the first replies, if the timeout was chosen by that; else 0
	userHTTP   *loadgen.UserHTTP // how requests to a user's app are sent; nil for Rollcall's own
	service    string
	laneSuffix string // that of the recording
	pods       typedcorev1.PodInterface
	agents     []*agent
	clocks     []evidence.ClockReading
	absences   []evidence.Absence // of its agents; set by collect
	noted      []evidence.Event   // events of its agents; set by collect
	seen       *tally             // through which all hits pass; nil before start
}

// newClients creates the agents and the control pods, and connects to each agent.
func newClients(ctx context.Context, r *Recording, service *corev1.Service) (*clients, error) {
	cl := &clients{timeout: r.Timeout, userHTTP: userHTTP(r.UserApp), service: service.Name, laneSuffix: r.laneSuffix,
		pods: r.Cluster.Client().CoreV1().Pods(r.Lease.Name)}
	workers, err := r.Cluster.Workers(ctx)
	if err != nil {
		return nil, err
	}
	if len(workers) == 0 {
		return nil, errors.New("the cluster has no worker for agents to run on: add one to its configuration")
	}
	if r.run.ClientNodes, err = clientNodes(ctx, r.Cluster.Client()); err != nil {
		return nil, err
	}
	outside, address, err := r.outsideTarget(ctx, service)
	if err != nil {
		return nil, err
	}
	secret := fixtures.AgentSecret(r.into(), rand.Text())
	if _, err := r.Cluster.Client().CoreV1().Secrets(r.Lease.Name).Create(ctx, secret, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	agents, controls, err := r.deployLoadPods(ctx, cl.pods, workers, secret.Name)
	if err != nil {
		return nil, err
	}
	for i, worker := range workers {
		control := controlOf(worker, controls)
		targets := map[evidence.Vantage]string{evidence.FromControl: controlURL(control)}
		if r.Existing == nil || r.Existing.Service != nil {
			targets[evidence.FromPod] = r.target(r.serviceURL(service))
		}
		lanes := r.lanesIn(strings.TrimPrefix(worker, r.Cluster.Name()+"-"), worker, targets)
		pod := agents[i]
		for l := range lanes {
			lanes[l].Client = pod.Status.PodIP
			if lanes[l].OverTLS() {
				lanes[l].Address = net.JoinHostPort(service.Spec.ClusterIP, strconv.Itoa(int(fixtures.HTTPPort(service).Port)))
			}
			if lanes[l].Protocol.RPC() && r.UserApp == nil {
				lanes[l].Target = fixtures.GRPCURL(service)
			}
			if lanes[l].Named {
				lanes[l].Target = r.target("http://" + nameOf(service) + "/")
			}
			if lanes[l].Kind().IsControl() {
				lanes[l].TargetNode = control.Spec.NodeName
			}
		}
		cl.lanes = append(cl.lanes, lanes...)
		if err := r.Cluster.LeaveCPUCgroup(&pod); err != nil {
			fmt.Fprintf(r.Out, "%s may send late: it could not leave its CPU cgroup: %v\n", pod.Name, err)
		}
		forward, err := r.Cluster.Forward(ctx, r.Lease.Name, pod.Name, fixtures.AgentPort)
		if err != nil {
			return cl, err
		}
		at := podPlace{cl.pods, pod.Name, forward, r.Cluster.LeaveCPUCgroup}
		cl.agents = append(cl.agents, &agent{place: at, name: pod.Name, node: worker, pod: &pod,
			lanes: lanes, remote: loadgen.Remote{URL: forward.URL, Token: string(secret.Data[fixtures.AgentTokenKey])}})
	}
	if outside == "" {
		return cl, nil
	}
	return cl, cl.openOutside(ctx, r, outside, address)
}

// openOutside starts the client outside the cluster. It connects to the address unless that is empty.
func (cl *clients) openOutside(ctx context.Context, r *Recording, target, address string) error {
	lanes := r.lanesIn("outside", "", map[evidence.Vantage]string{evidence.FromHost: target})
	if r.Existing != nil && r.Existing.Control != "" {
		lanes = append(lanes, r.lanesIn("outside", "", map[evidence.Vantage]string{evidence.FromControl: r.Existing.Control})...)
	}
	for l := range lanes {
		lanes[l].Address = address
		if r.Cluster != nil {
			lanes[l].Client, lanes[l].TargetNode = r.outsideEnds(ctx, lanes[l].DialAddress())
		}
	}
	cl.lanes = append(cl.lanes, lanes...)
	if r.Existing != nil && r.Existing.Proxy != "" {
		r.distrust(unusedProxy(r.Existing.Proxy, lanes))
	}
	process, err := startOutside()
	if err != nil {
		return err
	}
	cl.agents = append(cl.agents, &agent{place: process, name: lanes[0].ID, lanes: lanes, remote: process.remote})
	return nil
}

// unusedProxy doubts lanes that bypass the proxy that an environment variable sets for their target: clients that use it
// may get other answers.
func unusedProxy(variable string, lanes []evidence.Lane) evidence.Reason {
	because := variable + " is set for the URL, and the load does not use that proxy"
	return evidence.Reason{ID: evidence.ProxyUnused, Because: because, Scope: (&agent{lanes: lanes}).scope()}
}

// outsideTarget returns the URL for the client outside the cluster, and the address to connect to if not the URL's; empty if the
// Service cannot be reached from outside.
func (r *Recording) outsideTarget(ctx context.Context, service *corev1.Service) (target, address string, err error) {
	if r.Existing != nil {
		return r.Existing.URL, r.Existing.Address, nil
	}
	target, err = r.Cluster.Door().Open(ctx, service)
	return target, "", err
}

// outsideEnds returns both ends of connections to an address: this host's address, and the node with that one. Both are empty if
// no node has it: what is in between, such as a load balancer, opens connections of its own.
func (r *Recording) outsideEnds(ctx context.Context, address string) (client, node string) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return "", ""
	}
	nodes, err := r.Cluster.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", ""
	}
	for _, n := range nodes.Items {
		for _, a := range n.Status.Addresses {
			if a.Type != corev1.NodeInternalIP || a.Address != host {
				continue
			}
			way, err := net.Dial("udp", net.JoinHostPort(a.Address, "9")) // sends nothing
			if err != nil {
				return "", ""
			}
			defer way.Close()
			local, _, _ := net.SplitHostPort(way.LocalAddr().String())
			return local, n.Name
		}
	}
	return "", ""
}

// serviceURL returns the URL of a Service for pods. Over TLS it has a name that the certificate may be for.
func (r *Recording) serviceURL(service *corev1.Service) string {
	if r.Existing != nil && r.Existing.Secure {
		return userapp.SecureURL(service)
	}
	return fixtures.HTTPURL(service)
}

// nameOf returns the DNS name of a Service. The final dot keeps resolvers from trying search domains first.
func nameOf(service *corev1.Service) string {
	return fmt.Sprintf("%s.%s.svc.cluster.local.", service.Name, service.Namespace)
}

// target returns the URL to request at an address that ends in a slash.
func (r *Recording) target(address string) string {
	if r.UserApp == nil {
		return address
	}
	return strings.TrimSuffix(address, "/") + r.UserApp.Path()
}

func userHTTP(app *userapp.App) *loadgen.UserHTTP {
	if app == nil {
		return nil
	}
	return app.HTTP()
}

// lanesIn returns the lanes of a place, on a node or outside the cluster: one of each kind whose vantage has a target.
func (r *Recording) lanesIn(place, node string, targets map[evidence.Vantage]string) []evidence.Lane {
	var lanes []evidence.Lane
	for _, kind := range r.kinds() {
		target, ok := targets[kind.Vantage]
		if !ok {
			continue
		}
		lane := kind.Lane(place)
		lane.Node, lane.Target, lane.Rate = node, target, r.Rate
		if kind.Protocol.Streams() {
			lane.Rate, lane.Longest = cmp.Or(r.Streams.Rate, r.Rate), r.Streams.Longest
		}
		switch {
		case kind.Protocol != evidence.SSE:
		case r.UserApp != nil:
			lane.EndMark = r.Streams.EndMark
		default:
			lane.EndMark = evidence.DoneMark
		}
		lanes = append(lanes, lane)
	}
	return lanes
}

// kinds returns the kinds of the lanes. All that ask a user's app speak its protocol.
func (r *Recording) kinds() []evidence.LaneKind {
	kinds := slices.DeleteFunc(evidence.LaneKinds(), func(k evidence.LaneKind) bool {
		return k.Optional && !slices.Contains(r.Also, k.Name) || k.RequestsApp() && r.Protocol != evidence.HTTP
	})
	if r.Protocol == evidence.HTTP {
		return kinds
	}
	return append(kinds, evidence.KindsOf(r.Protocol)...)
}

// identify gets from each agent which process it is and what its clock shows, in a recording that began at the time given.
func (cl *clients) identify(ctx context.Context, began time.Time) error {
	for _, a := range cl.agents {
		a.began = began
		err := a.request(ctx, func(ctx context.Context) error {
			status, err := a.remote.Status(ctx)
			a.instance = status.Instance
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, a := range cl.agents {
		if a.node == "" {
			continue // its clock is ours
		}
		reading, err := a.readClock(ctx, a.request)
		if err != nil {
			return err
		}
		cl.clocks = append(cl.clocks, reading)
	}
	return nil
}

// start begins all lanes, and begins to fetch their hits for the recorder.
func (cl *clients) start(ctx context.Context, began time.Time, recorder laneSink) error {
	cl.seen = newTally(recorder, cl.lanes)
	var starting errgroup.Group
	for _, a := range cl.agents {
		cfg := loadgen.Config{Began: began, Service: cl.service, Timeout: cl.timeout, UserHTTP: cl.userHTTP,
			LaneSuffix: cl.laneSuffix}
		starting.Go(func() error { return a.start(ctx, cfg, cl.seen) })
	}
	err := starting.Wait()
	cl.seen.countFrom(time.Since(began) + warmUp)
	return err
}

// awaitAnswers waits until every agent that may be alive answers, so that all can be stopped at the same time, or until ctx ends:
// collect then notes what is lost.
func (cl *clients) awaitAnswers(ctx context.Context) {
	var all sync.WaitGroup
	for _, a := range cl.agents {
		all.Go(func() { _, _ = a.currentStatus(ctx) })
	}
	all.Wait()
}

// limited limits the wait for the end of all requests, and then for all hits.
func (cl *clients) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	longest := cl.timeout
	for _, lane := range cl.lanes {
		longest = max(longest, lane.Longest)
	}
	limit := collectTimeout + longest
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done in %v", limit))
}

// stop ends the pacing of all lanes at about the same time and waits until no request is in flight; the error
// names the agents for which that is unknown. It may be called again.
func (cl *clients) stop(ctx context.Context) error {
	ctx, cancel := cl.limited(ctx)
	defer cancel()
	var agents errgroup.Group
	for _, a := range cl.agents {
		if a.fetcher == nil {
			continue
		}
		agents.Go(func() error {
			if err := a.stop(ctx); err != nil && !errors.Is(err, errForgot) && a.alive(ctx) {
				return fmt.Errorf("stop %s: %w", a.name, err)
			}
			return nil // an agent that is dead or has lost its order sends nothing; collect notes it
		})
	}
	return agents.Wait()
}

// collect waits until the recorder has every hit of every lane, and closes the connections to the agents.
// It returns the reasons why the evidence is not whole.
func (cl *clients) collect(ctx context.Context) (doubts []evidence.Reason) {
	ctx, cancel := cl.limited(ctx)
	defer cancel()
	var agents sync.WaitGroup
	troubles := make([]error, len(cl.agents))
	for i, a := range cl.agents {
		agents.Go(func() { troubles[i] = a.collect(ctx) })
	}
	agents.Wait()
	for i, a := range cl.agents {
		cl.clocks, cl.absences = append(cl.clocks, a.after...), append(cl.absences, a.explained()...)
		cl.noted = append(cl.noted, a.noted...)
		if err := troubles[i]; err != nil {
			doubts = append(doubts, evidence.Reason{ID: evidence.AgentLost, Because: fmt.Sprintf("%s: %s", a.status(ctx), listErrors(err)),
				Scope: a.scope()})
		}
	}
	return doubts
}

// progress returns what clients saw so far, and which agents do not answer.
func (cl *clients) progress() progress.Running {
	if cl.seen == nil {
		return progress.Running{}
	}
	now := cl.seen.soFar()
	for _, a := range cl.agents {
		if a.fetcher.failing.Load() {
			now.Trouble += a.name + " does not answer "
		}
	}
	return now
}
