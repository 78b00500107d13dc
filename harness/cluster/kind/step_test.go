package kind

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/usage"
)

func TestRun(t *testing.T) {
	broken := errors.New("broken")
	var mu sync.Mutex
	var done []string
	note := func(name string) {
		mu.Lock()
		defer mu.Unlock()
		done = append(done, name)
	}
	does := func(name string, err error) step {
		return step{name, func(context.Context) error {
			note(name)
			return err
		}}
	}
	wait := func(name string, d time.Duration) step {
		return step{name, func(ctx context.Context) error {
			select {
			case <-time.After(d):
				note(name)
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}}
	}
	for _, row := range []struct {
		sentence string
		steps    []step
		done     string
		spent    string
		says     string
	}{
		{"one after the other", []step{does("a", nil), does("b", nil)}, "a b", "", ""},
		{"no step after one that fails, which is named", []step{does("a", broken), does("b", nil)}, "a", "", "cluster n: a: broken"},
		{"a usage error stays as it is", []step{does("a", usage.New("port 1", "taken", "another"))}, "a", "", "port 1: taken: another"},
		{"a step of a second or more is named", []step{wait("a", 1500*time.Millisecond), wait("b", time.Millisecond)}, "a b", "a 1.5 s", ""},
		{"in parallel", []step{inParallel("all", wait("b", 2*time.Second), wait("a", time.Second))}, "a b", "all 2.0 s", ""},
		{"the others are cancelled when one fails, and its error is returned",
			[]step{inParallel("all", wait("b", time.Hour), inOrder("then", wait("a", time.Second), does("c", broken)))},
			"a c", "", "cluster n: all: then: c: broken"},
		{"a slow step is cancelled", []step{withTimeout(time.Minute, wait("a", time.Hour))}, "", "", "cluster n: a: not done after 1m0s"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				done = nil
				said := ""
				spent, err := run(t.Context(), "n", row.steps)
				if err != nil {
					said = err.Error()
				}
				if got := strings.Join(done, " "); got != row.done || spent != row.spent || said != row.says {
					t.Errorf("done %q, spent %q, error %q", got, spent, said)
				}
			})
		})
	}
}
