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
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/loadgen"
)

// An agent is a client: a load pod on one worker, as reached through its port-forward, or the process outside the cluster.
type agent struct {
	place
	name   string
	node   string      // empty outside the cluster
	pod    *corev1.Pod // nil there
	lanes  []evidence.Lane
	remote loadgen.Remote

	instance string        // that was told to start; another one afterwards shows a restart
	began    time.Time     // the run's
	offset   time.Duration // of its node's clock, from ours
	fetcher  *fetcher      // of its lanes; nil before start
	after    []evidence.ClockReading
	noted    []evidence.Event // what its lanes met beside their hits, once collected
	resumption
}

// A place is where an agent runs.
type place interface {
	// alive reports whether the agent may be running, as far as can be told.
	alive(ctx context.Context) bool
	// status says what became of it, in a few words.
	status(ctx context.Context) string
	// again treats a new process of it as the first one was, and says how the last one ended.
	again(ctx context.Context) (ending string, err error)
	// renew opens the way to it again, which may hang.
	renew()
	// close closes the way to it.
	close()
}

// A podPlace is a pod, and the way to it.
type podPlace struct {
	pods    typedcorev1.PodInterface
	pod     string
	forward *cluster.Forward
	// leaveCPUCgroup does so with the pod's processes.
	leaveCPUCgroup func(*corev1.Pod) error
}

func (p podPlace) status(ctx context.Context) string { return podStatus(ctx, p.pods, p.pod) }

func (p podPlace) renew() { p.forward.Renew() }

func (p podPlace) close() { p.forward.Close() }

func (p podPlace) alive(ctx context.Context) bool {
	pod, err := p.pods.Get(ctx, p.pod, metav1.GetOptions{})
	if err != nil { // without credentials no way to it is opened again
		return !apierrors.IsNotFound(err) && !apierrors.IsUnauthorized(err)
	}
	return pod.Status.Phase != corev1.PodFailed && pod.Status.Phase != corev1.PodSucceeded
}

// start tells the agent to load its lanes, and begins to bring the hits to the recorder.
func (a *agent) start(ctx context.Context, cfg loadgen.Config, recorder hitSink) error {
	cfg.At = cfg.At.Add(a.offset) // the same instant, by its own clock
	a.began = cfg.Began
	if err := a.remote.Start(ctx, a.lanes, cfg); err != nil {
		return err
	}
	var ids []string
	for _, lane := range a.lanes {
		ids = append(ids, lane.ID)
	}
	a.fetcher = startFetcher(ctx, recorder, ids, func(ctx context.Context, from []int) ([]store.Frame[evidence.Hit], error) {
		frames, err := a.remote.HitsOfLanes(ctx, ids, from)
		if errors.Is(err, context.DeadlineExceeded) {
			a.renew()
		}
		if a.node != "" {
			a.look(ctx, err)
		}
		return frames, err
	})
	return nil
}

// collect returns when every hit of the agent is with the recorder, reads its clock once more, and closes
// the way to it. The error says why that is not so.
func (a *agent) collect(ctx context.Context, began time.Time) error {
	defer a.close()
	if a.fetcher == nil {
		return nil
	}
	if lost := a.stop(ctx); lost != nil {
		a.fetcher.cancel(lost)
		return errors.Join(lost, a.fetcher.wait(ctx))
	}
	incomplete := a.fetcher.wait(ctx)
	readClock := func(ctx context.Context) error { return a.readClockAgain(ctx, began) }
	return errors.Join(incomplete, a.retryWhileAlive(ctx, readClock), a.lastStatus(ctx))
}

// lastStatus learns of all that the agent's lanes met beside their hits, and of every absence, now that there is no more of either. A
// lane that met an error of no known type is one.
func (a *agent) lastStatus(ctx context.Context) error {
	status, err := a.ask(ctx)
	if err != nil {
		return err
	}
	a.noted = status.Noted
	for i := range a.noted {
		a.noted[i].Clock = a.node
	}
	known := len(a.absences)
	a.absences = status.Absences
	if len(a.absences) > known || a.adopting > 0 {
		a.adopt(ctx)
	}
	for _, lane := range a.lanes {
		if trouble := status.Lanes[lane.ID].Trouble; trouble != "" {
			return fmt.Errorf("lane %s: %s", lane.ID, trouble)
		}
	}
	return nil
}

// ask asks the agent for its status while its pod lives.
func (a *agent) ask(ctx context.Context) (status loadgen.Status, err error) {
	err = a.retryWhileAlive(ctx, func(ctx context.Context) (err error) { status, err = a.remote.Status(ctx); return err })
	return status, err
}

// scope is what is lost with the agent: requests of its lanes, and of those recorded the failures may be its own.
func (a *agent) scope() evidence.Scope {
	s := evidence.Scope{Missed: evidence.Requests(), Doubted: []evidence.Subject{evidence.AboutFailures, evidence.AboutLatencies}}
	for _, lane := range a.lanes {
		s.Lanes = append(s.Lanes, lane.ID)
	}
	return s
}

// errForgot says that an agent is neither the one that was started, nor goes on where that stopped.
var errForgot = errors.New("the agent restarted during the run and lost the requests it had recorded")

// stop ends the pacing of the agent's lanes and returns when no request is in flight.
func (a *agent) stop(ctx context.Context) error {
	status, err := a.ask(ctx)
	if err != nil {
		return err
	}
	if status.Instance != a.instance && status.Order != a.instance {
		return errForgot
	}
	return a.retryWhileAlive(ctx, a.remote.Stop)
}

// retryEvery is the pause before an agent that did not answer is asked again.
const retryEvery = 250 * time.Millisecond

// retryWhileAlive asks again while the agent's pod lives, since the way to it may only be interrupted, until ctx ends. Where no answer
// comes, the way is opened again.
func (a *agent) retryWhileAlive(ctx context.Context, ask func(context.Context) error) error {
	for {
		asking, cancel := context.WithTimeoutCause(ctx, fetchTimeout, fmt.Errorf("no answer in %v", fetchTimeout))
		err := ask(asking)
		if asking.Err() != nil && ctx.Err() == nil {
			a.renew()
		}
		cancel()
		if err == nil || !a.alive(ctx) {
			return err
		}
		if poll.Pause(ctx, retryEvery); ctx.Err() != nil {
			return err
		}
	}
}

// A reading of an agent's clock takes a few round trips, of which the fastest counts; and some more where even that was slow,
// as on a busy machine, since what it leaves uncertain decides nothing.
const (
	clockSamples  = 5
	clockReadings = 5
	clockGood     = 2 * time.Millisecond // uncertainty; replies on one lane are 10 ms apart or more
)

// readClock compares the clock of the agent's node with ours.
func (a *agent) readClock(ctx context.Context, began time.Time) (best evidence.ClockReading, err error) {
	for i := range clockReadings {
		reading, err := a.remote.ReadClock(ctx, began, clockSamples)
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

// readClockAgain notes a reading of the clock after the load. That of this host is ours.
func (a *agent) readClockAgain(ctx context.Context, began time.Time) error {
	if a.node == "" {
		return nil
	}
	reading, err := a.readClock(ctx, began)
	if err == nil {
		a.after = append(a.after, reading)
	}
	return err
}

// podStatus says what became of a pod, in a few words.
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

// phaseOf is a pod's phase and how its containers ended, in a few words.
func phaseOf(pod *corev1.Pod) string {
	said := "pod " + pod.Name + " is " + string(pod.Status.Phase)
	for _, c := range pod.Status.ContainerStatuses {
		if end := c.State.Terminated; end != nil {
			said += fmt.Sprintf(" (%s, exit code %d)", end.Reason, end.ExitCode)
		}
	}
	return said
}

// listErrors are joined errors on one line, one after the other.
func listErrors(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
