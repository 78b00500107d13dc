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

// An Asking is a pod on a node that asks a Service question after question, while steps go on.
type Asking struct {
	Node  string // that it asks from
	steps *Steps
	pod   string
}

// An Answer is what became of a question of an [Asking].
type Answer struct {
	At      time.Time // when the question was sent, by the clock of the node
	Outcome string    // ok, refused, unreachable, timeout or failed: see package echo
}

// Outcomes of questions that steps look for.
const (
	Good    = "ok"      // it was answered
	Refused = "refused" // ECONNREFUSED
)

// askPoll paces looks at a pod that asks.
const askPoll = 200 * time.Millisecond

// Ask has a pod on a node ask as `echo ask` does with the arguments, and returns when it has begun to.
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

// Answers is what became of the questions so far.
func (a *Asking) Answers(ctx context.Context) []Answer {
	log := Must(a.steps.Client.CoreV1().Pods(a.steps.Namespace).GetLogs(a.pod, &corev1.PodLogOptions{}).Stream(ctx))
	defer log.Close()
	return Must(readAnswers(log))
}

// Await returns when the last question had an outcome, with what became of all until then.
func (a *Asking) Await(ctx context.Context, outcome string) (answers []Answer) {
	Check(poll.Until(ctx, askPoll, func() (bool, error) {
		answers = a.Answers(ctx)
		return len(answers) > 0 && answers[len(answers)-1].Outcome == outcome, nil
	}))
	return answers
}

// readAnswers reads the log of a pod that asked.
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
