package during

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
)

// accepted is the Expired of credentials that have not expired.
func accepted() string { return "" }

// TestATokenThatExpires lets a token expire before the maintenance is over: then nothing is waited for, since nothing can be seen.
func TestATokenThatExpires(t *testing.T) {
	const over = 10 * time.Minute
	for _, row := range []struct {
		sentence string
		expires  time.Duration
		within   time.Duration // of the maintenance's end
		steps    int           // that report it
	}{
		{"the token expired long before the end", 3 * time.Minute, time.Second, 1},
		{"the token expired just before the end", over - 5*time.Second, time.Minute / 2, 1},
		{"the token does not expire", time.Hour, 0, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, began := fake.NewClientset(readyNode("a")), time.Now()
				client.PrependReactor("*", "*", func(k8stesting.Action) (bool, runtime.Object, error) {
					return time.Since(began) >= row.expires, nil, apierrors.NewUnauthorized("Unauthorized")
				})
				var seen sink
				watch, err := observe.Start(t.Context(), client, observe.Scope{Namespace: "n"}, began, &seen)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(over)
				var out strings.Builder
				m := &maintenance{screen: &screen{terminal: &out, log: io.Discard}, app: &userApp{client: client, selector: labels.Everything()}}
				m.app.follow(watch.Objects())
				w := wholeness{client: client, seen: watch.Objects(), say: m.screen.say}
				cannot, late := m.awaitRollout(t.Context(), watch.Expired)
				err = w.await(t.Context(), wholeLimit, watch.Expired)
				took := time.Since(began) - over
				watch.Stop(t.Context())
				if took > row.within || cannot+late != "" {
					t.Errorf("it took %v, %q", took, cannot+late)
				}
				steps := 0
				for _, e := range seen.events {
					switch {
					case e.Kind == evidence.WatchGap && e.Detail == watch.Expired():
						steps++
					case e.Kind == evidence.WatchGap:
						t.Errorf("%v: %s", e.At, e.Detail)
					}
				}
				if steps != row.steps {
					t.Errorf("%d steps", steps)
				}
				if row.steps == 0 {
					if err != nil {
						t.Error(err)
					}
					return
				}
				says := "the credentials of the kubeconfig have expired at " + began.Add(row.expires).Format("15:04")
				if !errors.Is(err, observe.ErrNeverSettled) || !strings.HasPrefix(err.Error(), says) {
					t.Errorf("error %v, want that %s", err, says)
				}
				if strings.Count(out.String(), says) != 1 || strings.Contains(out.String(), "does not answer") {
					t.Errorf("said %s", out.String())
				}
			})
		})
	}
}

// A sink keeps events.
type sink struct{ events []evidence.Event }

func (s *sink) Event(e evidence.Event)     { s.events = append(s.events, e) }
func (*sink) Arrivals(...evidence.Arrival) {}
func (*sink) Flows(...evidence.Flow)       {}
