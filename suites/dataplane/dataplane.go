// Package dataplane asks to which pods a node sends new connections, and what becomes of open ones: where the kube-proxy
// modes differ, what is expected differs.
package dataplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"syscall"
	"time"

	"rollcall/harness"
	"rollcall/loadgen"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario { return []harness.Scenario{turns(), keptStream(), firstConnection()} }

// Answers are what became of some requests, each over a connection of its own.
type answers struct {
	pods                     map[string]int // that replied
	by                       map[string]int // replies by version
	refused, timedOut, other int
}

// askTimeout is longer than three SYNs take, since a node refuses one peer only once a second.
const askTimeout = 10 * time.Second

// ask sends n requests to the app from outside, one after the other: the connections come in by one node.
func ask(ctx context.Context, steps *harness.Steps, n int) answers {
	client := loadgen.FreshClient(askTimeout)
	t := answers{pods: map[string]int{}, by: map[string]int{}}
	for range n {
		by, err := loadgen.Ask(ctx, client, steps.Outside)
		var timeout interface{ Timeout() bool }
		switch {
		case err == nil:
			t.pods[by.Pod]++
			t.by[by.Version]++
		case ctx.Err() != nil:
			harness.Check(context.Cause(ctx))
		case refused(err):
			t.refused++
		case errors.As(err, &timeout) && timeout.Timeout():
			t.timedOut++
		default:
			t.other++
		}
	}
	return t
}

// who is what kinds of answers there were, like "2 pods, and some refused".
func (t answers) who() string {
	text := fmt.Sprintf("%d pods", len(t.pods))
	for _, failure := range t.failures() {
		if failure.n > 0 {
			text += ", and some " + failure.what
		}
	}
	return text
}

// even reports whether each pod had as many of n requests as independent draws give it, but for 5 standard deviations, which
// chance exceeds once in 1.7 million. Requests that failed count as those of one pod.
func (t answers) even(n int, pods int32) bool {
	parts := slices.Collect(maps.Values(t.pods))
	if failed := t.refused + t.timedOut + t.other; failed > 0 {
		parts = append(parts, failed)
	}
	p := 1 / float64(pods)
	allowed := 5 * math.Sqrt(float64(n)*p*(1-p))
	off := func(part int) bool { return math.Abs(float64(part)-float64(n)*p) > allowed }
	return len(parts) == int(pods) && !slices.ContainsFunc(parts, off)
}

// A failure is how many requests got no reply, and why.
type failure struct {
	n    int
	what string
}

func (t answers) failures() []failure {
	return []failure{{t.refused, "refused"}, {t.timedOut, "timed out"}, {t.other, "failed otherwise"}}
}

// refused reports whether a connection was ended at once. Where this host does not reach a node's address, the container
// engine's proxy stands between them: it takes a connection before it opens one to the node, and drops it when that is refused.
// Whether its client sees a reset or an end depends on which of the two was quicker; of an end before the request was sent
// net/http tells by an error of no exported type.
func refused(err error) bool {
	return strings.HasSuffix(err.Error(), "http: server closed idle connection") ||
		slices.ContainsFunc([]error{syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF},
			func(sign error) bool { return errors.Is(err, sign) })
}

// String is how often each pod replied, in the order of how often, and what else came.
func (t answers) String() string {
	var counts []int
	for _, n := range t.pods {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	text := strings.Trim(fmt.Sprint(counts), "[]")
	for _, failure := range t.failures() {
		if failure.n > 0 {
			text += fmt.Sprintf(", %d %s", failure.n, failure.what)
		}
	}
	return strings.TrimPrefix(text, ", ")
}
