package record

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/loadgen"
)

// answerLimit is for how long an app that is there already may not answer a client: for as long as a kube-proxy that could not write
// its rules waits until it tries again (retryInterval of its runner, pkg/proxy/iptables/proxier.go, v1.36: syncPeriod, which is 30 s,
// pkg/proxy/apis/config/v1alpha1/defaults.go).
const answerLimit = 30 * time.Second

// inARow is how many good replies from outside show that no other app is behind the port any more, and how many bad ones from an app
// that is there already that it gives no others: no rule and no policy was in their way.
const inARow = 5

// askEvery is the pause between two questions.
const askEvery = 100 * time.Millisecond

// awaitReplies returns when the app answers every vantage: that its endpoints are ready does not mean that every node's kube-proxy has
// programmed them. What keeps an app from that which is there already is for its scenario to say.
func (cl *clients) awaitReplies(ctx context.Context, there *harness.Elsewhere, ours func(pod string) bool) error {
	failed := make([]error, len(cl.agents))
	var all sync.WaitGroup
	for i, a := range cl.agents {
		all.Go(func() {
			for _, lane := range a.lanes {
				if failed[i] = cl.awaitRepliesOn(ctx, a, lane, there != nil, ours); failed[i] != nil {
					return
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
	return errors.Join(failed...)
}

func (cl *clients) awaitRepliesOn(ctx context.Context, a *agent, lane evidence.Lane, there bool, ours func(pod string) bool) error {
	asked := cl.userHTTP
	if lane.Kind().IsControl() {
		asked = nil
	}
	ask := func() error { return a.remote.Reach(ctx, lane, asked) }
	if a.node == "" {
		ask = func() error { return askOutside(ctx, lane, asked, ours) }
	}
	await := until
	if there && lane.Kind().AsksApp() {
		await = untilSaid
	}
	err := await(ctx, ask)
	var none *loadgen.NoReplyError
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil && there && lane.Kind().AsksApp() && errors.As(err, &none): // else it was cut short
		return harness.Unanswered{Pod: a.pod, Target: lane.Target, Last: *none}
	case a.node == "":
		return fmt.Errorf("from outside the cluster: %w", err)
	default:
		return fmt.Errorf("from %s: %w", a.node, err)
	}
}

// awaitReplies returns when Rollcall's own app gives this process good replies.
func awaitReplies(ctx context.Context, target string, ours func(pod string) bool) error {
	return until(ctx, func() error { return askOutside(ctx, evidence.Lane{Target: target}, nil, ours) })
}

// askOutside has this process ask an app. The port outside is that of the recording before, whose pods a node sends requests to until
// its rules are those of today: what names its pod has to name one of ours.
func askOutside(ctx context.Context, lane evidence.Lane, app *loadgen.UserHTTP, ours func(pod string) bool) error {
	client := loadgen.FreshClient(loadgen.DefaultTimeout)
	if app != nil {
		_, err := app.Ask(lane.Target, lane.Address, loadgen.DefaultTimeout)
		return err
	}
	for range inARow {
		by, err := loadgen.Ask(ctx, client, lane.Target)
		if err == nil && !ours(by.Pod) {
			err = fmt.Errorf("pod %s replied, which is none of this recording", by.Pod)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func until(ctx context.Context, works func() error) error { return poll.UntilNil(ctx, askEvery, works) }

// untilSaid returns when an app that is there already gives a good reply, or with the last error when it is clear that it gives none.
func untilSaid(ctx context.Context, ask func() error) (last error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit) // a question that is under way then is still waited for
	defer cancel()
	said := 0
	_ = poll.Until(ctx, askEvery, func() (bool, error) {
		last = ask()
		said++
		if none := (*loadgen.NoReplyError)(nil); !errors.As(last, &none) || none.Status == 0 && !none.TLS {
			said = 0
		}
		return last == nil || said == inARow, nil
	})
	return last
}
