package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
	"example.com/rollcall/loadgen"
)

// An agent that does not answer is asked again as long as a new connection to its pod may work.
func TestPodThatMayAnswer(t *testing.T) {
	for _, row := range []struct {
		sentence string
		err      error // of the API
		alive    bool
	}{
		{"the API knows it", nil, true},
		{"the API server is away", errors.New("connection refused"), true},
		{"it is gone", apierrors.NewNotFound(corev1.Resource("pods"), "agent-x"), false},
		{"the credentials have expired", apierrors.NewUnauthorized("Unauthorized"), false},
	} {
		client := fake.NewClientset()
		client.PrependReactor("get", "pods", func(k8stesting.Action) (bool, runtime.Object, error) { return true, &corev1.Pod{}, row.err })
		if got := (podPlace{pods: client.CoreV1().Pods("n"), pod: "agent-x"}).alive(t.Context()); got != row.alive {
			t.Errorf("%s: alive %v", row.sentence, got)
		}
	}
}

// An agent's spool fits into its volume: a pod that fills its volume is evicted.
func TestSpoolFitsItsVolume(t *testing.T) {
	spec := fixtures.AgentSet(fixtures.Destination{Namespace: "ns"}, []string{"worker"}, "agent", fixtures.AgentName).Spec.Template.Spec
	if volume := spec.Volumes[0].EmptyDir.SizeLimit.Value(); volume*9/10 < loadgen.SpoolLimit {
		t.Errorf("%d bytes in %d", loadgen.SpoolLimit, volume)
	}
}

// TestAgentAskedAgain counts the new connections to an agent until it answers: a connection without an answer may be cut off, one with
// an error in time is not.
func TestAgentAskedAgain(t *testing.T) {
	for _, row := range []struct {
		sentence string
		first    func(context.Context) error
		renewed  int32
	}{
		{"a connection without an answer is replaced", func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }, 1},
		{"a connection with an error is kept", func(context.Context) error { return context.Canceled }, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				place, asked := newTestPlace(t), 0
				err := (&agent{place: place}).retryWhileAlive(t.Context(), func(ctx context.Context) error {
					if asked++; asked == 1 {
						return row.first(ctx)
					}
					if left, _ := ctx.Deadline(); time.Until(left) != fetchTimeout {
						t.Errorf("question %d has %v", asked, time.Until(left))
					}
					return nil
				})
				if got := place.renewed.Load(); err != nil || asked != 2 || got != row.renewed {
					t.Errorf("asked %d times, over a way that was opened again %d times, want 2 and %d: %v", asked, got, row.renewed, err)
				}
			})
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestHungFetch counts the new connections to an agent that is asked for hits under load. One that hangs ends with the cause of its
// context, as net/http has it (transport.go), and without an end would hang until the API server notices.
func TestHungFetch(t *testing.T) {
	for _, row := range []struct {
		sentence string
		fetch    roundTrip
		renewed  int32
	}{
		{"a connection without an answer is replaced",
			func(r *http.Request) (*http.Response, error) {
				<-r.Context().Done()
				return nil, context.Cause(r.Context())
			}, 1},
		{"a connection that is refused is kept", func(*http.Request) (*http.Response, error) { return nil, errors.New("refused") }, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				place := newTestPlace(t)
				client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					if strings.HasSuffix(r.URL.Path, "/hits") {
						return row.fetch(r)
					}
					return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}"))}, nil
				})}
				a := &agent{place: place, name: "agent-x", node: "worker", lanes: []evidence.Lane{{ID: "worker-fresh"}},
					remote: loadgen.Remote{URL: "http://agent", Client: client}}
				if err := a.start(t.Context(), loadgen.Config{}, nobody{}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(fetchTimeout + fetchEvery/2) // of the bubble: one fetch that hangs, or many
				if got := place.renewed.Load(); got != row.renewed {
					t.Errorf("its connection was opened again %d times, want %d", got, row.renewed)
				}
				cl := clients{agents: []*agent{a}, seen: newTally(nobody{}, a.lanes)}
				if got := cl.progress().Trouble; got != "agent-x does not answer " {
					t.Errorf("progress says %q", got)
				}
				a.fetcher.cancel(nil)
				<-a.fetcher.done
			})
		})
	}
}

// TestFarAgent collects the hits of an agent each of whose answers takes long, as those of a cluster on another continent may: reading
// its clock takes many answers.
func TestFarAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			time.Sleep(300 * time.Millisecond)
			if r.Context().Err() != nil {
				return nil, context.Cause(r.Context())
			}
			var body strings.Builder
			switch {
			case strings.HasSuffix(r.URL.Path, "/hits"):
				body.Write(framelog.Append(nil, framelog.End, []byte(`{"end": true}`)))
			case strings.HasSuffix(r.URL.Path, "/status"):
				fmt.Fprintf(&body, `{"now": %d}`, time.Now().UnixNano())
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body.String()))}, nil
		})}
		place, lanes := newTestPlace(t), []evidence.Lane{{ID: "worker-fresh"}}
		cl := &clients{lanes: lanes, agents: []*agent{{place: place, node: "worker", lanes: lanes,
			remote: loadgen.Remote{URL: "http://agent", Client: client}}}}
		began := time.Now()
		if err := errors.Join(cl.identify(t.Context(), began), cl.start(t.Context(), began, nobody{})); err != nil {
			t.Fatal(err)
		}
		if doubts := cl.collect(t.Context()); len(doubts) > 0 || len(cl.clocks) != 2 || place.renewed.Load() > 0 {
			t.Errorf("doubts %+v, clocks %v, connections opened again %d", doubts, cl.clocks, place.renewed.Load())
		}
	})
}
