package record

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/loadgen"
)

// An agent is a load agent: a pod on one worker, reached through a port-forward, or the process outside the cluster.
type agent struct {
	place
	name   string
	node   string      // empty outside the cluster
	pod    *corev1.Pod // nil outside the cluster
	lanes  []evidence.Lane
	remote loadgen.Remote

	instance string    // id of the process that was started; a different id later means a restart
	began    time.Time // when the recording began
	fetcher  *fetcher  // fetches the hits of its lanes; nil before start
	after    []evidence.ClockReading
	noted    []evidence.Event // events of its lanes, such as certificates; set by collect
	resumption
}

// A place is where an agent runs.
type place interface {
	// alive reports whether the agent may still be running.
	alive(ctx context.Context) bool
	// status describes its state in a few words.
	status(ctx context.Context) string
	// again prepares a new process of the agent like the first, and returns how the last one ended.
	again(ctx context.Context) (ending string, err error)
	// renew replaces the connection to the agent, which may hang.
	renew()
	// close closes the connection to the agent.
	close()
}

// A podPlace is a pod and the port-forward to it.
type podPlace struct {
	pods    typedcorev1.PodInterface
	pod     string
	forward *cluster.Forward
	// leaveCPUCgroup moves the pod's processes out of their CPU cgroup.
	leaveCPUCgroup func(*corev1.Pod) error
}

func (p podPlace) status(ctx context.Context) string { return podStatus(ctx, p.pods, p.pod) }

func (p podPlace) renew() { p.forward.Renew() }

func (p podPlace) close() { p.forward.Close() }

func (p podPlace) alive(ctx context.Context) bool {
	pod, err := p.pods.Get(ctx, p.pod, metav1.GetOptions{})
	if err != nil { // an expired credential cannot open a new port-forward either
		return !apierrors.IsNotFound(err) && !apierrors.IsUnauthorized(err)
	}
	return pod.Status.Phase != corev1.PodFailed && pod.Status.Phase != corev1.PodSucceeded
}

// start makes the agent begin its lanes, and begins to fetch their hits.
func (a *agent) start(ctx context.Context, cfg loadgen.Config, recorder laneSink) error {
	err := a.request(ctx, func(ctx context.Context) error { return a.remote.Start(ctx, a.lanes, cfg) })
	if err != nil {
		return err
	}
	var ids []string
	for _, lane := range a.lanes {
		ids = append(ids, lane.ID)
	}
	a.fetcher = startFetcher(ctx, recorder, ids, func(ctx context.Context, from []int64) (ranges []loadgen.Range, err error) {
		err = a.request(ctx, func(ctx context.Context) (err error) { ranges, err = a.remote.HitsOfLanes(ctx, ids, from); return err })
		for _, r := range ranges {
			a.onItsClock(r.Events)
		}
		if a.node != "" {
			a.look(ctx, err)
		}
		return ranges, err
	})
	return nil
}

// collect waits until the recorder has every hit of the agent, reads its clock again, and disconnects. The
// error says what is missing.
func (a *agent) collect(ctx context.Context) error {
	defer a.close()
	if a.fetcher == nil {
		return nil
	}
	if lost := a.stop(ctx); lost != nil {
		a.fetcher.cancel(lost)
		return errors.Join(lost, a.fetcher.wait(ctx))
	}
	incomplete := a.fetcher.wait(ctx)
	return errors.Join(incomplete, a.readClockAgain(ctx, a.retryWhileAlive), a.lastStatus(ctx))
}

// lastStatus fetches all events and absences of the agent's lanes, after the load has ended. It returns an error if a lane had an
// error of an unknown type.
func (a *agent) lastStatus(ctx context.Context) error {
	status, err := a.currentStatus(ctx)
	if err != nil {
		return err
	}
	a.noted = status.Noted
	a.onItsClock(a.noted)
	known := len(a.absences)
	a.absences = status.Absences
	if len(a.absences) > known || a.adopting > 0 {
		a.adopt(ctx)
	}
	for _, lane := range a.lanes {
		if trouble := status.Troubles[lane.ID]; trouble != "" {
			return fmt.Errorf("lane %s: %s", lane.ID, trouble)
		}
	}
	return nil
}

// onItsClock says of events that the agent noted them.
func (a *agent) onItsClock(noted []evidence.Event) {
	for i := range noted {
		noted[i].Clock = a.node
	}
}

// currentStatus fetches the agent's status, and retries while its pod is alive.
func (a *agent) currentStatus(ctx context.Context) (status loadgen.Status, err error) {
	err = a.retryWhileAlive(ctx, func(ctx context.Context) (err error) { status, err = a.remote.Status(ctx); return err })
	return status, err
}

// scope returns what a lost agent affects: requests of its lanes are missing, and recorded failures may be its own.
func (a *agent) scope() evidence.Scope {
	s := evidence.Scope{Missed: evidence.Requests(), Doubted: []evidence.Subject{evidence.AboutFailures, evidence.AboutLatencies}}
	for _, lane := range a.lanes {
		s.Lanes = append(s.Lanes, lane.ID)
	}
	return s
}

// errForgot says that the agent's process is neither the one that was started nor a successor that continues its load.
var errForgot = errors.New("the agent restarted during the run and lost the requests it had recorded")

// stop ends the pacing of the agent's lanes and returns when no request is in flight.
func (a *agent) stop(ctx context.Context) error {
	status, err := a.currentStatus(ctx)
	if err != nil {
		return err
	}
	if status.Instance != a.instance && status.Order != a.instance {
		return errForgot
	}
	return a.retryWhileAlive(ctx, a.remote.Stop)
}

// retryEvery is the pause between two requests to an agent that did not answer.
const retryEvery = 250 * time.Millisecond

// request sends the agent a request, for as long as fetchTimeout. If there is no answer by then, the
// connection may hang, and a new one is opened.
func (a *agent) request(ctx context.Context, send func(context.Context) error) error {
	limited, cancel := context.WithTimeoutCause(ctx, fetchTimeout, fmt.Errorf("no answer in %v", fetchTimeout))
	defer cancel()
	err := send(limited)
	if limited.Err() != nil && ctx.Err() == nil {
		a.renew()
	}
	return err
}

// retryWhileAlive sends the request until there is an answer, the agent is dead, or ctx ends: the
// connection may only be interrupted.
func (a *agent) retryWhileAlive(ctx context.Context, send func(context.Context) error) error {
	for {
		err := a.request(ctx, send)
		if err == nil || !a.alive(ctx) {
			return err
		}
		if poll.Pause(ctx, retryEvery); ctx.Err() != nil {
			return err
		}
	}
}

// A reading of an agent's clock takes a few round trips, of which the fastest counts, and is repeated if even that was slow,
// as on a busy machine, since differences within its uncertainty decide nothing.
const (
	clockSamples  = 5
	clockReadings = 5
	clockGood     = 2 * time.Millisecond // uncertainty; replies on one lane are 10 ms apart or more
)

// A requester sends requests to an agent, which may be far away: each request gets time of its own.
type requester func(ctx context.Context, send func(context.Context) error) error

// readClock compares the clock of the agent's node with ours.
func (a *agent) readClock(ctx context.Context, by requester) (best evidence.ClockReading, err error) {
	for i := range clockReadings {
		var reading evidence.ClockReading
		err := by(ctx, func(ctx context.Context) (err error) {
			reading, err = a.remote.ReadClock(ctx, a.began, clockSamples)
			return err
		})
		if err != nil {
			return best, err
		}
		if i == 0 || reading.Uncertainty < best.Uncertainty {
			best = reading
		}
		if best.Uncertainty <= clockGood {
			break
		}
	}
	best.Node = a.node
	return best, nil
}

// readClockAgain notes another reading of the clock, except on this host, whose clock is ours.
func (a *agent) readClockAgain(ctx context.Context, by requester) error {
	if a.node == "" {
		return nil
	}
	reading, err := a.readClock(ctx, by)
	if err == nil {
		a.after = append(a.after, reading)
	}
	return err
}

// podStatus describes the state of a pod in a few words.
func podStatus(ctx context.Context, pods typedcorev1.PodInterface, name string) string {
	pod, err := pods.Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return "pod " + name + " is gone"
	case err != nil:
		return "pod " + name + " is unknown"
	}
	return phaseOf(pod)
}

// phaseOf returns a pod's phase and how its containers ended, in a few words.
func phaseOf(pod *corev1.Pod) string {
	said := "pod " + pod.Name + " is " + string(pod.Status.Phase)
	for _, c := range pod.Status.ContainerStatuses {
		if end := c.State.Terminated; end != nil {
			said += fmt.Sprintf(" (%s, exit code %d)", end.Reason, end.ExitCode)
		}
	}
	return said
}

// listErrors returns joined errors on one line.
func listErrors(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
