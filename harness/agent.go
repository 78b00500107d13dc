package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/poll"
	"rollcall/loadgen"
)

// An agent is the load pod on one worker, as reached through its port-forward.
type agent struct {
	pod     string
	node    string
	lanes   []evidence.Lane
	remote  loadgen.Remote
	forward *cluster.Forward
	was     string  // its instance before the load; another one afterwards betrays a restart
	feeds   []*feed // of its lanes; none before start
	after   []evidence.ClockReading
}

// start tells the agent to load its lanes, and begins to bring the hits to the recorder.
func (a *agent) start(ctx context.Context, cfg loadgen.Config, recorder *evidence.Recorder) error {
	if err := a.remote.Start(ctx, a.lanes, cfg); err != nil {
		return err
	}
	for _, lane := range a.lanes {
		a.feeds = append(a.feeds, follow(ctx, recorder, lane.ID, func(ctx context.Context, n int) (evidence.Frame[evidence.Hit], error) {
			return a.remote.Since(ctx, lane.ID, n)
		}))
	}
	return nil
}

// collect returns when every hit of the agent is with the recorder, reads its clock once more, and closes
// the way to it. The error says why that is not so.
func (a *agent) collect(ctx context.Context, began time.Time) (err error) {
	if a.forward == nil {
		return nil
	}
	defer func() {
		if closed := a.forward.Close(); err == nil {
			err = closed
		}
	}()
	if len(a.feeds) == 0 {
		return nil
	}
	lost := a.check(ctx)
	if lost == nil {
		var reading evidence.ClockReading
		reading, lost = a.readClock(ctx, began)
		a.after = append(a.after, reading)
	}
	troubles := []error{lost}
	for _, f := range a.feeds {
		if lost != nil {
			f.cancel(lost)
		}
		troubles = append(troubles, f.end(ctx))
	}
	return errors.Join(troubles...)
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
	said := "pod " + name + " is " + string(pod.Status.Phase)
	for _, c := range pod.Status.ContainerStatuses {
		if end := c.State.Terminated; end != nil {
			said += fmt.Sprintf(" (%s, exit code %d)", end.Reason, end.ExitCode)
		}
	}
	return said
}

func awaitReady(ctx context.Context, pods typedcorev1.PodInterface, name string) (pod *corev1.Pod, err error) {
	err = poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		if pod, err = pods.Get(ctx, name, metav1.GetOptions{}); err != nil {
			return false, err
		}
		return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		}), nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", fate(context.WithoutCancel(ctx), pods, name), err)
	}
	return pod, nil
}

// oneLine is an error in one line: joined errors, one after the other.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
