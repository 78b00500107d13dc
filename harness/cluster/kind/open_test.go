package kind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
)

func TestOpenCreatesInOrder(t *testing.T) {
	e := newFakeEngine()
	c, err := open(t.Context(), io.Discard, fakeSpec(t), e)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ sentence, first, then string }{
		{"a run that is killed while kind runs leaves nothing", "start reaper", "create"},
		{"a node's rules are written before pods get addresses", "create", "write conflist of n-worker"},
		{"each node gets routes to the pods of the others", "create", "write routes of n-worker2"},
		{"images are loaded before our pods start", "load image into n-worker", "raise shares of n-control-plane"},
	} {
		if first, then := e.index(row.first), e.index(row.then); first < 0 || then < first {
			t.Errorf("%s: %q is call %d, %q is call %d", row.sentence, row.first, first, row.then, then)
		}
	}
	if e.index("raise shares of n-worker") >= 0 {
		t.Error("a worker got the control plane's shares")
	}
	if c.Kubernetes() != "v1.36.3" || !c.Temporary() || !c.Door().OneService {
		t.Errorf("version %q, temporary %v, one Service outside %v", c.Kubernetes(), c.Temporary(), c.Door().OneService)
	}
	workers, err := c.Workers(t.Context())
	if diff := cmp.Diff(nodeNames()[1:], workers); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if err := c.Close(); err != nil || e.index("reaper removes") < 0 {
		t.Errorf("Close: %v, and the cluster was not removed", err)
	}
}

func TestOpenFails(t *testing.T) {
	broken := errors.New("broken")
	for _, row := range []struct {
		sentence string
		prepare  func(*fakeEngine)
		cancel   bool
		refused  bool
		says     string
		calls    []string // that are made
		not      []string // that are not
	}{
		{sentence: "kind fails: its logs are collected, and what it left is removed",
			prepare: func(e *fakeEngine) { e.fails["create"] = broken }, says: "create: run kind: broken",
			calls: []string{"collect logs", "reaper removes"}, not: []string{"raise shares of n-control-plane"}},
		{sentence: "an image cannot be loaded: kind's containers are removed, because kind cannot be cancelled",
			prepare: func(e *fakeEngine) { e.hangs, e.fails["load image into n-worker"] = true, broken },
			says:    "load images: echo:v1 into n-worker: broken", calls: []string{"remove containers", "collect logs", "reaper removes"}},
		{sentence: "a network cannot be written: the node is named",
			prepare: func(e *fakeEngine) { e.fails["write conflist of n-worker2"] = broken },
			says:    "install the network: of n-worker2: broken", calls: []string{"reaper removes"}},
		{sentence: "after an interrupt the cluster is removed, and no logs are collected",
			prepare: func(e *fakeEngine) { e.hangs = true }, cancel: true, says: "interrupted",
			calls: []string{"reaper removes"}, not: []string{"collect logs"}},
		{sentence: "a cluster that is not ours is left alone",
			prepare: func(e *fakeEngine) { e.there, e.foreign = true, true }, refused: true, says: "that Rollcall did not make",
			not: []string{"start reaper", "remove containers", "collect logs"}},
		{sentence: "a cluster of another user, whose state is elsewhere, is left alone",
			prepare: func(e *fakeEngine) { e.there = true }, refused: true, says: "another user's",
			not: []string{"start reaper", "remove containers", "collect logs"}},
		{sentence: "without a reaper no cluster is created",
			prepare: func(e *fakeEngine) { e.fails["start reaper"] = broken }, says: "start the reaper: broken",
			not: []string{"create"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			spec := fakeSpec(t)
			synctest.Test(t, func(t *testing.T) {
				e := newFakeEngine()
				row.prepare(e)
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if row.cancel {
					cancel(errors.New("interrupted"))
				}
				_, err := open(ctx, io.Discard, spec, e)
				if err == nil || !strings.Contains(err.Error(), row.says) || usage.Is(err) != row.refused {
					t.Errorf("error %v, want one with %q", err, row.says)
				}
				for _, call := range row.calls {
					if e.index(call) < 0 {
						t.Errorf("%q is missing in %q", call, e.calls)
					}
				}
				for _, call := range row.not {
					if e.index(call) >= 0 {
						t.Errorf("%q stands in %q", call, e.calls)
					}
				}
			})
			wantUnlocked(t, spec.Name)
		})
	}
}

// wantUnlocked fails the test if the cluster's lock is held.
func wantUnlocked(t *testing.T, name string) {
	t.Helper()
	_, lockFile, err := paths(name)
	if err != nil {
		t.Fatal(err)
	}
	held, err := sharedfile.TryLock(lockFile)
	if err != nil {
		t.Fatalf("the cluster is still held: %v", err)
	}
	if err := held.Release(); err != nil {
		t.Error(err)
	}
}

func TestOpenKept(t *testing.T) {
	for _, row := range []struct {
		sentence string
		again    func(*Spec, *fakeEngine)
		created  bool
		refused  bool
		says     string // in the output or the error
	}{
		{sentence: "the same spec takes the kept cluster", again: func(*Spec, *fakeEngine) {}, says: "reusing the kept one"},
		{sentence: "another image does not replace it", again: func(s *Spec, _ *fakeEngine) { s.Image = "other" }, refused: true,
			says: "another spec: remove kept clusters with `rollcall clean`"},
		{sentence: "nor does another mode", again: func(s *Spec, _ *fakeEngine) { s.Mode = "ipvs" }, refused: true, says: "it is kept since"},
		{sentence: "nor does a run that did not ask for it", again: func(s *Spec, _ *fakeEngine) { s.Keep = false }, refused: true,
			says: "this run would replace it: use it with --keep, or remove kept clusters with `rollcall clean`"},
		{sentence: "without containers there is nothing to keep", again: func(s *Spec, e *fakeEngine) { s.Keep, e.there = false, false },
			created: true, says: "ready"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			e, spec := newFakeEngine(), fakeSpec(t)
			e.server = serveNothingOf(t)
			spec.Keep = true
			first, err := open(t.Context(), io.Discard, spec, e)
			if err != nil {
				t.Fatal(err)
			}
			if err := first.Close(); err != nil || first.Temporary() || e.index("reaper keeps") < 0 || e.index("reaper removes") >= 0 {
				t.Fatalf("it was not kept: %v, %q", err, e.calls)
			}
			e.calls = nil
			row.again(&spec, e)
			var out strings.Builder
			second, err := open(t.Context(), &out, spec, e)
			if usage.Is(err) != row.refused || !row.refused && err != nil {
				t.Fatalf("error %v, refused: %v, want %v", err, usage.Is(err), row.refused)
			}
			if said := fmt.Sprint(&out, err); !strings.Contains(said, row.says) || e.index("create") >= 0 != row.created {
				t.Errorf("calls %q, said:\n%s", e.calls, said)
			}
			if row.refused {
				if len(e.calls) > 0 || !hasNote(first.state) {
					t.Errorf("the kept cluster was touched: %q", e.calls)
				}
				wantUnlocked(t, spec.Name)
				return
			}
			if second.Temporary() == spec.Keep {
				t.Errorf("temporary: %v", second.Temporary())
			}
			if err := second.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A run that is killed leaves its namespaces, and cordoned what it was draining.
func TestOpenKeptAfterAKill(t *testing.T) {
	e, spec := newFakeEngine(), fakeSpec(t)
	e.server = serveNothingOf(t)
	spec.Keep = true
	killed, err := open(t.Context(), io.Discard, spec, e)
	if err != nil {
		t.Fatal(err)
	}
	left := &corev1.Namespace{ObjectMeta: fixtures.Destination{}.Object("left")}
	worker, err := e.client.CoreV1().Nodes().Get(t.Context(), "n-worker", metav1.GetOptions{})
	if err == nil {
		worker.Spec.Unschedulable = true
		err = errors.Join(e.client.Tracker().Update(corev1.SchemeGroupVersion.WithResource("nodes"), worker, ""), e.client.Tracker().Add(left))
	}
	if err = errors.Join(err, killed.held.Abort()); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	again, err := open(t.Context(), &out, spec, e)
	if err != nil || !strings.Contains(out.String(), "reusing the kept one") {
		t.Fatalf("%v, output:\n%s", err, &out)
	}
	if worker, err = e.client.CoreV1().Nodes().Get(t.Context(), "n-worker", metav1.GetOptions{}); err != nil || worker.Spec.Unschedulable {
		t.Errorf("the node is still cordoned: %v", err)
	}
	if _, err := e.client.CoreV1().Namespaces().Get(t.Context(), "left", metav1.GetOptions{}); err == nil {
		t.Error("the namespace is still there")
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenReplacesAKeptClusterThatIsBroken(t *testing.T) {
	e, spec := newFakeEngine(), fakeSpec(t)
	spec.Keep = true
	first, err := open(t.Context(), io.Discard, spec, e)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(first.Kubeconfig()); err != nil {
		t.Fatal(err)
	}
	e.calls = nil
	var out strings.Builder
	second, err := open(t.Context(), &out, spec, e)
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Contains(out.String(), "the kept one cannot be used: cluster n: connect:")
	if e.index("remove containers") < 0 || e.index("create") < 0 || !told {
		t.Errorf("%q, output:\n%s", e.calls, &out)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}
