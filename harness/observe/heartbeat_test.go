package observe

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/evidence"
)

func TestHeartbeat(t *testing.T) {
	type answer struct {
		after time.Duration
		err   error
	}
	refused := errors.New("connection refused")
	for _, tc := range []struct {
		sentence string
		timeout  time.Duration
		answers  []answer
		gaps     []string
	}{
		{"an API server that answers leaves no gap", evidence.APITimeout, []answer{{0, nil}, {evidence.APITimeout, nil}}, nil},
		{"one that hangs leaves a gap", evidence.APITimeout, []answer{{0, nil}, {9500 * time.Millisecond, nil}, {0, nil}},
			[]string{"the API server did not answer for 9.5 s"}},
		{"one that hangs for less than a longer timeout leaves none", 5 * time.Second, []answer{{4400 * time.Millisecond, nil}, {0, nil}}, nil},
		{"one that is away leaves a gap", evidence.APITimeout, []answer{{0, refused}, {9 * time.Second, refused}, {0, nil}},
			[]string{"the API server did not answer for 9.2 s: connection refused"}},
		{"one that is away for less than the timeout leaves none", evidence.APITimeout,
			[]answer{{0, refused}, {time.Second, refused}, {0, nil}}, nil},
		{"one that hangs until the end leaves a gap", evidence.APITimeout, []answer{{time.Hour, nil}},
			[]string{"the API server did not answer for 60.0 s"}},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				client := fake.NewClientset()
				client.PrependReactor("get", "namespaces", func(k8stesting.Action) (bool, runtime.Object, error) {
					if len(tc.answers) == 0 {
						cancel()
						return false, nil, nil
					}
					a := tc.answers[0]
					tc.answers = tc.answers[1:]
					select {
					case <-time.After(a.after):
					case <-ctx.Done():
					}
					return a.err != nil, nil, a.err
				})
				noticed := newMemorySink()
				heartbeat{newJournal(time.Now(), noticed), client.CoreV1().Namespaces(), namespace, tc.timeout}.run(ctx)
				var gaps []string
				for _, e := range noticed.events {
					if e.Kind == evidence.WatchGap {
						gaps = append(gaps, e.Detail)
					}
				}
				if diff := cmp.Diff(tc.gaps, gaps); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}
