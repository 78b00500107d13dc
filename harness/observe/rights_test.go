package observe

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/evidence"
)

// What may not be watched is noted, costs nothing else, and is no gap.
func TestKindsThatMayNotBeWatched(t *testing.T) {
	unwatched := func(kind, detail string) evidence.Event {
		return evidence.Event{Kind: evidence.Unwatched, Object: kind, Detail: "missing permission to " + detail}
	}
	failing := func(verb, resource string, err error) *fake.Clientset {
		client := permitting()
		client.PrependReactor(verb, resource, func(k8stesting.Action) (bool, runtime.Object, error) { return true, nil, err })
		return client
	}
	services := schema.GroupResource{Resource: "services"}
	for _, row := range []struct {
		sentence string
		client   *fake.Clientset
		want     []evidence.Event
	}{
		{"all may be", permitting(), nil},
		{"one may not be listed", denying([]string{"list services"}), []evidence.Event{unwatched("services", "list services in namespace n")}},
		{"some may be neither listed nor watched, one of another group", denying([]string{"list configmaps", "watch configmaps",
			"list poddisruptionbudgets", "watch poddisruptionbudgets"}), []evidence.Event{
			unwatched("poddisruptionbudgets", "list, watch poddisruptionbudgets.policy in namespace n"),
			unwatched("configmaps", "list, watch configmaps kube-proxy in namespace kube-system")}},
		{"pods of kube-system: whether those of the app may be watched is not asked", denying([]string{"watch pods"}),
			[]evidence.Event{unwatched("pods", "watch pods in namespace kube-system")}},
		{"the right was taken away meanwhile", failing("list", "services", apierrors.NewForbidden(services, "", nil)),
			[]evidence.Event{unwatched("services", "list, watch services in namespace n")}},
		{"the API server cannot say whether it may", failing("create", "selfsubjectaccessreviews", errors.New("timeout")), nil},
		{"the API server cannot list it", failing("list", "services", errors.New("timeout")), nil},
	} {
		if err := row.client.Tracker().Add(somePod("a", corev1.ConditionFalse)); err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			noticed := newMemorySink()
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			w, err := Start(ctx, row.client, Scope{Namespace: namespace, Service: "echo", VersionLabel: version}, time.Now(), noticed)
			if err != nil {
				t.Fatal(err)
			}
			if !w.Knows("a") {
				t.Errorf("%s: the pod was not seen", row.sentence)
			}
			stop(t, w)
			var got []evidence.Event
			for _, e := range noticed.eventsFrom(0) {
				if e.Kind != evidence.PodCreated {
					e.At = 0
					got = append(got, e)
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("%s: events (-want +got):\n%s", row.sentence, diff)
			}
		})
	}
}

// A recording that needs a kind waits for it, until its time is over.
func TestAKindThatIsNeeded(t *testing.T) {
	client := permitting()
	client.PrependReactor("list", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("no")
	})
	over := errors.New("its time is over")
	ctx, end := context.WithCancelCause(t.Context())
	sink := endsAtGap{newMemorySink(), func() { end(over) }}
	_, err := Start(ctx, client, Scope{Namespace: namespace, Service: "echo", VersionLabel: version}, time.Now(), sink)
	if want := "observe: list pods: its time is over"; !errors.Is(err, over) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// endsAtGap ends something once the watch has a gap.
type endsAtGap struct {
	*memorySink
	end func()
}

func (s endsAtGap) Event(e evidence.Event) {
	s.memorySink.Event(e)
	if e.Kind == evidence.WatchGap {
		s.end()
	}
}
