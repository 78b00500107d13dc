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

// A RequestPod is a pod that sends a Service one request after the other while the steps of a scenario
// go on.
type RequestPod struct {
	Node  string // of the pod
	steps *Steps
	pod   string
}

// A Request is one that a [RequestPod] has sent.
type Request struct {
	At      time.Time // when it was sent, by the node's clock
	Outcome string    // ok, refused, unreachable, timeout or failed: see package echo
}

// Outcomes of requests that steps look for.
const (
	Good    = "ok"      // a pod replied
	Refused = "refused" // ECONNREFUSED
)

// requestPoll is the interval at which a RequestPod, or its log, is read.
const requestPoll = 200 * time.Millisecond

// RequestFrom creates a pod on a node that runs `echo ask` with the arguments, and returns when the pod
// runs.
func (s *Steps) RequestFrom(ctx context.Context, node string, args ...string) *RequestPod {
	pod := Must(s.Client.CoreV1().Pods(s.Namespace).Create(ctx, fixtures.ClientPod(s.Into, node, args...), metav1.CreateOptions{}))
	r := &RequestPod{Node: node, steps: s, pod: pod.Name}
	err := poll.Until(ctx, requestPoll, func() (bool, error) {
		pod, err := s.Client.CoreV1().Pods(s.Namespace).Get(ctx, r.pod, metav1.GetOptions{})
		if err == nil && pod.Status.Phase == corev1.PodFailed {
			err = fmt.Errorf("pod %s failed", r.pod)
		}
		return err == nil && pod.Status.Phase == corev1.PodRunning, err
	})
	if err != nil {
		Check(fmt.Errorf("client on %s: %w", node, err))
	}
	return r
}

// Requests returns all requests so far.
func (r *RequestPod) Requests(ctx context.Context) []Request {
	log := Must(r.steps.Client.CoreV1().Pods(r.steps.Namespace).GetLogs(r.pod, &corev1.PodLogOptions{}).Stream(ctx))
	defer log.Close()
	return Must(readRequests(log))
}

// Await waits until the latest request has the outcome, and returns all requests until then.
func (r *RequestPod) Await(ctx context.Context, outcome string) (all []Request) {
	Check(poll.Until(ctx, requestPoll, func() (bool, error) {
		all = r.Requests(ctx)
		return len(all) > 0 && all[len(all)-1].Outcome == outcome, nil
	}))
	return all
}

// readRequests parses the log of `echo ask`.
func readRequests(log io.Reader) ([]Request, error) {
	var all []Request
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var one Request
		var sent int64
		var number int
		var pod string
		if _, err := fmt.Sscanf(lines.Text(), "Q %d %d %s %s", &sent, &number, &one.Outcome, &pod); err != nil {
			return nil, fmt.Errorf("line %.200q of a client is not one of echo ask", lines.Text())
		}
		one.At = time.Unix(0, sent)
		all = append(all, one)
	}
	return all, lines.Err()
}
