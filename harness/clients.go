package harness

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/poll"
	"rollcall/loadgen"
)

// startLead is how far ahead the agreed instant lies at which all lanes begin: time to tell every agent.
const startLead = 500 * time.Millisecond

// collectPatience is how long agents may take to end their requests, and then to hand over their
// hits: a second or two, over a forward that works.
const collectPatience = 30 * time.Second

// clients are all lanes of a recording: agents in pods, one on each worker, and one client outside.
type clients struct {
	lanes   []evidence.Lane
	load    Load
	service string
	agents  []*agent
	outside evidence.Lane
	attack  *loadgen.Attack // of the outside lane; nil before start
}

// An agent is the load pod on one worker, as reached through its port-forward.
type agent struct {
	pod     string
	lane    evidence.Lane
	remote  loadgen.Remote
	forward *cluster.Forward
	was     string // its instance before the load; another one afterwards betrays a restart
	started bool
}

// newClients makes the agents and opens a way to each.
func newClients(ctx context.Context, r *recording, service *corev1.Service) (*clients, error) {
	cl := &clients{load: r.Load, service: service.Name}
	workers, err := r.cluster.Workers(ctx)
	if err != nil {
		return nil, err
	}
	token := rand.Text()
	secret := fixtures.AgentSecret(r.namespace, token)
	if _, err := r.cluster.Client.CoreV1().Secrets(r.namespace).Create(ctx, secret, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	for _, worker := range workers {
		pod, err := r.cluster.Client.CoreV1().Pods(r.namespace).Create(ctx, fixtures.AgentPod(r.namespace, worker, secret.Name), metav1.CreateOptions{})
		if err != nil {
			return nil, err
		}
		short := strings.TrimPrefix(worker, r.cluster.Name+"-")
		cl.agents = append(cl.agents, &agent{pod: pod.Name, remote: loadgen.Remote{Token: token}, lane: evidence.Lane{
			ID: short + "-" + string(r.Load.Conn), Vantage: evidence.FromPod, Node: worker,
			Conn: r.Load.Conn, Target: address(service), Rate: r.Load.Rate,
		}})
	}
	outside, err := r.cluster.Outside(ctx)
	if err != nil {
		return nil, err
	}
	cl.outside = evidence.Lane{
		ID: "outside-" + string(r.Load.Conn), Vantage: evidence.FromHost,
		Conn: r.Load.Conn, Target: "http://" + outside + "/", Rate: r.Load.Rate,
	}
	for _, a := range cl.agents {
		if err := awaitRunning(ctx, r, a.pod); err != nil {
			return cl, err
		}
		if a.forward, err = r.cluster.Forward(ctx, r.namespace, a.pod, fixtures.AgentPort); err != nil {
			return cl, err
		}
		a.remote.URL = a.forward.URL
		cl.lanes = append(cl.lanes, a.lane)
	}
	cl.lanes = append(cl.lanes, cl.outside)
	return cl, nil
}

func awaitRunning(ctx context.Context, r *recording, name string) error {
	var phase corev1.PodPhase
	err := poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		pod, err := r.cluster.Client.CoreV1().Pods(r.namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		phase = pod.Status.Phase
		return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		}), nil
	})
	if err != nil {
		return fmt.Errorf("agent %s is %s: %w", name, phase, err)
	}
	return nil
}

// reachable returns when the app answers every vantage: that its endpoints are ready does not
// mean that every node's kube-proxy has programmed them.
func (cl *clients) reachable(ctx context.Context) error {
	for _, a := range cl.agents {
		if err := until(ctx, func() error { return a.remote.Reach(ctx, a.lane.Target) }); err != nil {
			return fmt.Errorf("from %s: %w", a.lane.Node, err)
		}
	}
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	err := until(ctx, func() error { return loadgen.Reach(ctx, &client, cl.outside.Target) })
	if err != nil {
		return fmt.Errorf("from outside the cluster: %w", err)
	}
	return nil
}

func until(ctx context.Context, works func() error) error {
	var last error
	err := poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		last = works()
		return last == nil, nil
	})
	return errors.Join(err, last)
}

// start begins all lanes at one instant.
func (cl *clients) start(ctx context.Context, began time.Time) error {
	for _, a := range cl.agents {
		id, err := a.remote.Identity(ctx)
		if err != nil {
			return err
		}
		a.was = id.Instance
	}
	cfg := loadgen.Config{Began: began, At: time.Now().Add(startLead), Service: cl.service, Timeout: cl.load.Timeout}
	for _, a := range cl.agents {
		if err := a.remote.Start(ctx, []evidence.Lane{a.lane}, cfg); err != nil {
			return err
		}
		a.started = true
	}
	if !time.Now().Before(cfg.At) {
		return fmt.Errorf("telling %d agents to start took longer than %v", len(cl.agents), startLead)
	}
	var err error
	cl.attack, err = loadgen.Start(context.WithoutCancel(ctx), cl.outside, cfg)
	return err
}

// stop ends the pacing of all lanes at about the same time and returns when no request is in flight.
func (cl *clients) stop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, collectPatience)
	defer cancel()
	var lanes sync.WaitGroup
	for _, a := range cl.agents {
		if a.started {
			lanes.Go(func() { _ = a.remote.Stop(ctx) }) // collect stops it again, and then an error counts
		}
	}
	if cl.attack != nil {
		cl.attack.Stop()
	}
	lanes.Wait()
}

// collect fetches every hit of every lane and closes the way to the agents. Whatever keeps the
// evidence from being whole is in doubts.
func (cl *clients) collect(ctx context.Context) (hits []evidence.Hit, doubts []string) {
	ctx, cancel := context.WithTimeoutCause(ctx, collectPatience, fmt.Errorf("its evidence was not fetched in %v", collectPatience))
	defer cancel()
	for _, a := range cl.agents {
		got, err := a.collect(ctx)
		hits = append(hits, got...)
		if err != nil {
			doubts = append(doubts, fmt.Sprintf("lane %s: %v", a.lane.ID, err))
		}
	}
	if cl.attack != nil {
		hits = append(hits, cl.attack.Stop()...)
		if trouble := cl.attack.Progress().Trouble; trouble != "" {
			doubts = append(doubts, fmt.Sprintf("lane %s: %s", cl.outside.ID, trouble))
		}
	}
	return hits, doubts
}

func (a *agent) collect(ctx context.Context) (hits []evidence.Hit, err error) {
	if a.forward == nil {
		return nil, nil
	}
	defer func() { err = errors.Join(err, a.forward.Close()) }()
	if !a.started {
		return nil, nil
	}
	id, err := a.remote.Identity(ctx)
	if err != nil {
		return nil, err
	}
	if id.Instance != a.was {
		return nil, errors.New("the agent restarted during the run")
	}
	if err := a.remote.Stop(ctx); err != nil {
		return nil, err
	}
	progress, err := a.remote.Progress(ctx)
	if err != nil {
		return nil, err
	}
	if trouble := progress[a.lane.ID].Trouble; trouble != "" {
		err = errors.New(trouble)
	}
	hits, fetch := a.remote.Hits(ctx)
	return hits, errors.Join(err, fetch)
}

// progress is one line: sent, failed, versions seen.
func (cl *clients) progress(ctx context.Context) string {
	var all []loadgen.Progress
	for _, a := range cl.agents {
		lanes, err := a.remote.Progress(ctx)
		if err != nil {
			return "agent " + a.pod + " does not answer"
		}
		all = append(all, lanes[a.lane.ID])
	}
	if cl.attack != nil {
		all = append(all, cl.attack.Progress())
	}
	sent, failed, versions := 0, 0, map[string]int{}
	for _, p := range all {
		sent, failed = sent+p.Sent, failed+p.Failed
		for version, n := range p.ByVersion {
			versions[version] += n
		}
	}
	line := fmt.Sprintf("sent %6d  failed %4d ", sent, failed)
	for _, version := range slices.Sorted(maps.Keys(versions)) {
		line += fmt.Sprintf(" %s %d", version, versions[version])
	}
	return line
}
