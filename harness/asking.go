package harness

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/poll"
)

// An Asking is a pod that sends a Service one request after the other while the steps of a scenario go on.
type Asking struct {
	Node  string // of the pod
	steps *Steps
	pod   string
}

// An Answer is the outcome of one request of an [Asking].
type Answer struct {
	At      time.Time // when the request was sent, by the node's clock
	Outcome string    // ok, refused, unreachable, timeout or failed: see package echo
}

// Outcomes of requests that steps look for.
const (
	Good    = "ok"      // a pod replied
	Refused = "refused" // ECONNREFUSED
)

// askPoll is the interval at which the pod of an Asking, or its log, is read.
const askPoll = 200 * time.Millisecond

// Ask creates a pod on a node that runs `echo ask` with the arguments, and returns when the pod runs.
func (s *Steps) Ask(ctx context.Context, node string, args ...string) *Asking {
	pod := Must(s.Client.CoreV1().Pods(s.Namespace).Create(ctx, fixtures.ClientPod(s.Into, node, args...), metav1.CreateOptions{}))
	a := &Asking{Node: node, steps: s, pod: pod.Name}
	err := poll.Until(ctx, askPoll, func() (bool, error) {
		pod, err := s.Client.CoreV1().Pods(s.Namespace).Get(ctx, a.pod, metav1.GetOptions{})
		if err == nil && pod.Status.Phase == corev1.PodFailed {
			err = fmt.Errorf("pod %s failed", a.pod)
		}
		return err == nil && pod.Status.Phase == corev1.PodRunning, err
	})
	if err != nil {
		Check(fmt.Errorf("client on %s: %w", node, err))
	}
	return a
}

// Answers returns the outcomes of all requests so far.
func (a *Asking) Answers(ctx context.Context) []Answer {
	log := Must(a.steps.Client.CoreV1().Pods(a.steps.Namespace).GetLogs(a.pod, &corev1.PodLogOptions{}).Stream(ctx))
	defer log.Close()
	return Must(readAnswers(log))
}

// Await waits until the latest request has the outcome, and returns the outcomes of all requests until then.
func (a *Asking) Await(ctx context.Context, outcome string) (answers []Answer) {
	Check(poll.Until(ctx, askPoll, func() (bool, error) {
		answers = a.Answers(ctx)
		return len(answers) > 0 && answers[len(answers)-1].Outcome == outcome, nil
	}))
	return answers
}

// readAnswers parses the log of `echo ask`.
func readAnswers(log io.Reader) ([]Answer, error) {
	var answers []Answer
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var answer Answer
		var sent int64
		var number int
		var pod string
		if _, err := fmt.Sscanf(lines.Text(), "Q %d %d %s %s", &sent, &number, &answer.Outcome, &pod); err != nil {
			return nil, fmt.Errorf("line %.200q of a client is none of echo ask", lines.Text())
		}
		answer.At = time.Unix(0, sent)
		answers = append(answers, answer)
	}
	return answers, lines.Err()
}
