package disruption

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/rollcall/harness/poll"
)

// On runs a shell script on a node to its end, and returns its output.
func (s Stage) On(ctx context.Context, node, script string) (string, error) {
	return s.on(ctx, node, script, 0)
}

// on runs a script that sleeps for some of its time. The end of the recording does not end it, since it undoes what it did.
func (s Stage) on(ctx context.Context, node, script string, waits time.Duration) (string, error) {
	limit := waits + scriptTimeout
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), limit, fmt.Errorf("not done after %v", limit))
	defer cancel()
	out, err := s.Cluster.Exec(ctx, s.Node(node), script)
	if err != nil {
		return out, fmt.Errorf("on %s: %w", node, err)
	}
	return out, nil
}

// Script runs a script on a node.
func Script(node, text string) Act {
	return func(ctx context.Context, s Stage) error {
		_, err := s.On(ctx, node, "set -e\n"+text)
		return err
	}
}

// Lasting does something on a node for d. One script does and undoes it, so it is undone even if this process dies meanwhile.
func Lasting(d time.Duration, node, do, undo string) Act {
	return func(ctx context.Context, s Stage) error {
		script := fmt.Sprintf("set -e\nundo() {\n%s\n}\ntrap undo EXIT\n%s\nsleep %.3f\n", undo, do, d.Seconds())
		// If ctx ends, the sleep is killed, so that the script undoes what it did at once. The script may not have come to its sleep yet.
		const hurrying = "for i in $(seq 30); do pkill -x -f 'sleep %.3f' && break; sleep 0.1; done"
		hurried := make(chan struct{})
		hurry := context.AfterFunc(ctx, func() {
			defer close(hurried)
			_, _ = s.On(ctx, node, fmt.Sprintf(hurrying, d.Seconds()))
		})
		defer func() {
			if !hurry() {
				<-hurried
			}
		}()
		_, err := s.on(ctx, node, script, d)
		return err
	}
}

// Stopped stops a program on a node for d by SIGSTOP, and then continues it.
func Stopped(node, program string, d time.Duration) Act {
	return Lasting(d, node, "pkill -STOP -x "+program, "pkill -CONT -x "+program)
}

// StoppedMarked does what Stopped does, and marks as a step that the program is stopped.
func StoppedMarked(node, program string, d time.Duration) Act {
	return func(ctx context.Context, s Stage) error {
		if err := Script(node, "pkill -STOP -x "+program)(ctx, s); err != nil {
			return err
		}
		s.Step(node, program+" is stopped")
		return Stopped(node, program, d)(ctx, s)
	}
}

// Killed kills a program on a node.
func Killed(node, program string) Act { return Script(node, "pkill -KILL -x "+program) }

// AppKilled kills the oldest of the app's processes on a node.
func AppKilled(node string) Act {
	return func(ctx context.Context, s Stage) error {
		_, err := s.On(ctx, node, s.eachApp("kill -KILL $pid; exit")+"\necho 'no process of the app is on this node' >&2\nexit 1")
		return err
	}
}

// AppsFact is the fact that says how many of the app's processes run on a node.
const AppsFact = "processes of the app"

// AppsCounted records that fact.
func AppsCounted(node string) Act {
	return func(ctx context.Context, s Stage) error {
		found, err := s.On(ctx, node, s.eachApp("echo $pid"))
		if err == nil {
			s.Fact(AppsFact, fmt.Sprint(len(strings.Fields(found))))
		}
		return err
	}
}

// ProcessFact is the fact that says whether a program that was restarted runs in another process than before.
const ProcessFact = "another process after the restart"

// Restarting does an act that restarts a program on a node, and records that fact.
func Restarting(node, program string, act Act) Act {
	newest := fmt.Sprintf("until pgrep -n -x %s; do sleep 0.1; done", program)
	return func(ctx context.Context, s Stage) error {
		before, err := s.On(ctx, node, newest)
		if err != nil {
			return err
		}
		if err := act(ctx, s); err != nil {
			return err
		}
		after, err := s.On(ctx, node, newest)
		if err == nil {
			s.Fact(ProcessFact, fmt.Sprint(before != after))
		}
		return err
	}
}

// eachApp returns a script that runs do for each of the app's processes on a node, with its pid in $pid, the oldest first.
func (s Stage) eachApp(do string) (script string) { return EachProcess(s.App.ResourceName()+"-.*", do) }

// EachProcess returns a script that runs do for each process of the echo app on a node whose pod's name matches the pattern pods, with
// its pid in $pid, the oldest first.
func EachProcess(pods, do string) (script string) {
	return fmt.Sprintf(`for pid in $(pgrep -x echo); do
	if tr '\0' '\n' <"/proc/$pid/environ" | grep -qx 'ROLLCALL_POD=%s'; then %s; fi
done`, pods, do)
}

// Together does several acts at once.
func Together(acts ...Act) Act {
	return func(ctx context.Context, s Stage) error {
		var all errgroup.Group
		for _, act := range acts {
			all.Go(func() error { return act(ctx, s) })
		}
		return all.Wait()
	}
}

// Later does an act after d.
func Later(d time.Duration, act Act) Act {
	return func(ctx context.Context, s Stage) error {
		poll.Pause(ctx, d)
		return act(ctx, s)
	}
}
