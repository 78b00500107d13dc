package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/loadgen"
)

// inARow is how many good replies from outside show that no other app is left behind the port, and how many bad replies of an app that
// runs already show that it gives no good ones: no rule and no policy blocked the requests.
const inARow = 5

const requestEvery = 100 * time.Millisecond

// awaitReplies waits until the app replies to every vantage: ready endpoints do not mean that every node's kube-proxy has
// written rules for them. For an app that runs already, there explains why it does not reply.
func (cl *clients) awaitReplies(ctx context.Context, there *harness.Existing, ours func(pod string) bool) error {
	failed, took := make([]error, len(cl.agents)), make([]time.Duration, len(cl.agents))
	var all sync.WaitGroup
	for i, a := range cl.agents {
		all.Go(func() {
			for _, lane := range a.lanes {
				var first time.Duration
				if first, failed[i] = cl.awaitRepliesOn(ctx, a, lane, there, ours); failed[i] != nil {
					return
				}
				if lane.Kind().RequestsApp() {
					took[i] = max(took[i], first)
				}
			}
		})
	}
	all.Wait()
	var without []harness.Unanswered
	for _, err := range failed {
		var one harness.Unanswered
		if errors.As(err, &one) {
			without = append(without, one)
		}
	}
	if len(without) > 0 {
		return there.Explain(ctx, without)
	}
	if cl.timeout == 0 && len(took) > 0 {
		cl.firstReply = slices.Max(took)
		cl.timeout = timeoutFor(cl.firstReply)
	}
	return errors.Join(failed...)
}

// timeoutFor returns how long clients await a reply of an app that took so long for its first ones.
func timeoutFor(first time.Duration) time.Duration {
	return min(max(10*first.Round(10*time.Millisecond), loadgen.DefaultTimeout), loadgen.Patience)
}

// awaitRepliesOn waits until a lane gets a good reply, and returns how long that took.
func (cl *clients) awaitRepliesOn(ctx context.Context, a *agent, lane evidence.Lane, there *harness.Existing, ours func(pod string) bool) (
	took time.Duration, err error) {
	app, users := cl.userHTTP, there != nil && lane.Kind().RequestsApp() // users: it may never give a good reply
	switch {
	case lane.Kind().IsControl() && a.node == "":
		app, users = app.OfControl(), true
	case lane.Kind().IsControl():
		app = nil
	}
	switch {
	case app != nil:
	case lane.Protocol.RPC():
		lane.Target = strings.TrimSuffix(lane.Target, "/") + healthMethod
	default:
		lane.Target = atOnce(lane.Target)
	}
	request := func() error { return a.remote.Reach(ctx, lane, app) }
	if a.node == "" {
		request = func() error { return requestOutside(ctx, lane, app, ours) }
	}
	await := until
	if users {
		await = func(ctx context.Context, request func() error) error {
			return untilCertain(ctx, request, there != nil && there.New)
		}
	}
	err = await(ctx, func() error {
		began := time.Now()
		err := request()
		took = time.Since(began)
		return err
	})
	var none *loadgen.NoReplyError
	switch {
	case err == nil:
		return took, nil
	case ctx.Err() == nil && users && errors.As(err, &none): // otherwise ctx ended first
		return 0, harness.Unanswered{Pod: a.pod, Target: lane.Target, Last: *none}
	case a.node == "":
		return 0, fmt.Errorf("from outside the cluster: %w", err)
	default:
		return 0, fmt.Errorf("from %s: %w", a.node, err)
	}
}

// awaitReplies waits until Rollcall's own app gives this process good replies.
func awaitReplies(ctx context.Context, target string, ours func(pod string) bool) error {
	return until(ctx, func() error { return requestOutside(ctx, evidence.Lane{Target: atOnce(target)}, nil, ours) })
}

// atOnce returns the URL at which Rollcall's app answers at once, however long its replies are to take.
func atOnce(target string) string { return strings.TrimSuffix(target, "/") + "/live" }

// healthMethod is the method at which Rollcall's app answers RPCs at once.
const healthMethod = "/grpc.health.v1.Health/Check"

// requestOutside sends requests to an app from this process. The node port is the same as in the recording before, and a node routes to
// the pods of that one until its rules are updated: so the pod that a reply names must be one of ours.
func requestOutside(ctx context.Context, lane evidence.Lane, app *loadgen.UserHTTP, ours func(pod string) bool) error {
	client := loadgen.FreshClient(loadgen.DefaultTimeout)
	if app != nil || lane.Protocol.RPC() {
		_, err := app.RequestPatiently(lane)
		return err
	}
	for range inARow {
		by, err := loadgen.Request(ctx, client, lane.Target)
		if err == nil && !ours(by.Pod) {
			err = fmt.Errorf("pod %s replied, which is none of this recording", by.Pod)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// until waits until something works, and returns the error of an agent with which nothing ever will.
func until(ctx context.Context, works func() error) error {
	var never error
	err := poll.UntilNil(ctx, requestEvery, func() error {
		err := works()
		if errors.Is(err, loadgen.ErrOtherBuild) {
			never, err = err, nil
		}
		return err
	})
	return cmp.Or(err, never)
}

// untilCertain waits until an app that runs already gives a good reply, or returns the last error when it is clear that there will be none.
// A bad status of an app that was just made does not show that: it may be ready before it is able.
func untilCertain(ctx context.Context, request func() error, isNew bool) (last error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit) // a request in flight at the limit is still awaited
	defer cancel()
	said := 0
	_ = poll.Until(ctx, requestEvery, func() (bool, error) {
		last = request()
		said++
		if none := (*loadgen.NoReplyError)(nil); !errors.As(last, &none) || !none.TLS && none.Unspoken == "" && (none.Status == 0 || isNew) {
			said = 0
		}
		return last == nil || said == inARow, nil
	})
	return last
}
