package harness

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

	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/loadgen"
)

// An agent is a load pod on one worker, as reached through its port-forward. The worker's agents carry its
// lanes together.
type agent struct {
	pod     string
	node    string
	index   int // among the worker's agents
	lanes   []evidence.Lane
	remote  loadgen.Remote
	forward *cluster.Forward
	was     string // its instance before the load; another one afterwards betrays a restart
	feed    *feed  // of its lanes; nil before start
	after   []evidence.ClockReading
}

// start tells the agent to load its share of its lanes, and begins to bring the hits to the recorder.
func (a *agent) start(ctx context.Context, cfg loadgen.Config, recorder *evidence.Recorder) error {
	cfg.Index = a.index
	if err := a.remote.Start(ctx, a.lanes, cfg); err != nil {
		return err
	}
	var ids []string
	for _, lane := range a.lanes {
		ids = append(ids, lane.ID)
	}
	a.feed = follow(ctx, recorder, ids, func(ctx context.Context, from []int) ([]evidence.Frame[evidence.Hit], error) {
		return a.remote.SinceEach(ctx, ids, from)
	})
	return nil
}

// collect returns when every hit of the agent is with the recorder, reads its clock once more, and closes
// the way to it. The error says why that is not so.
func (a *agent) collect(ctx context.Context, began time.Time) error {
	defer a.forward.Close()
	if a.feed == nil {
		return nil
	}
	lost := a.check(ctx)
	if lost == nil {
		var reading evidence.ClockReading
		if reading, lost = a.readClock(ctx, began); lost == nil {
			a.after = append(a.after, reading)
		}
	}
	if lost != nil {
		a.feed.cancel(lost)
	}
	return errors.Join(lost, a.feed.end(ctx))
}

// check ends the agent's lanes, and is an error unless it is the agent that was started and had no trouble.
func (a *agent) check(ctx context.Context) error {
	id, err := a.remote.Identity(ctx)
	if err != nil {
		return err
	}
	if id.Instance != a.was {
		return errors.New("the agent restarted during the run")
	}
	if err := a.remote.Stop(ctx); err != nil {
		return err
	}
	progress, err := a.remote.Progress(ctx)
	if err != nil {
		return err
	}
	for _, lane := range a.lanes {
		if trouble := progress[lane.ID].Trouble; trouble != "" {
			return fmt.Errorf("lane %s: %s", lane.ID, trouble)
		}
	}
	return nil
}

// clockSamples is how many round trips a reading of an agent's clock takes; the fastest counts.
const clockSamples = 5

// readClock compares the clock of the agent's node with ours.
func (a *agent) readClock(ctx context.Context, began time.Time) (evidence.ClockReading, error) {
	reading, err := a.remote.ReadClock(ctx, began, clockSamples)
	reading.Node = a.node
	return reading, err
}

// fate says what became of an agent's pod, in a few words.
func fate(ctx context.Context, pods typedcorev1.PodInterface, name string) string {
	pod, err := pods.Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return "pod " + name + " is gone"
	case err != nil:
		return "pod " + name + " is unknown"
	}
	return state(pod)
}

// state is a pod's phase and how its containers ended, in a few words.
func state(pod *corev1.Pod) string {
	said := "pod " + pod.Name + " is " + string(pod.Status.Phase)
	for _, c := range pod.Status.ContainerStatuses {
		if end := c.State.Terminated; end != nil {
			said += fmt.Sprintf(" (%s, exit code %d)", end.Reason, end.ExitCode)
		}
	}
	return said
}

// oneLine is an error in one line: joined errors, one after the other.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
