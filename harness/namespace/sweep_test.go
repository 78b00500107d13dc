package namespace

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/usage"
)

// ours returns the metadata of an object of ours in a namespace, of a run that needs it for some time more.
func ours(namespace, name, run string, left time.Duration) metav1.ObjectMeta {
	return fixtures.Destination{Namespace: namespace, Run: fixtures.Run{ID: run, Expires: serverTime.Add(left)}}.Object(name)
}

func namespaces(t *testing.T, client kubernetes.Interface) (names []string) {
	t.Helper()
	list, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range list.Items {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return names
}

// The API server's clock, which these tests compare with; that of this host is another.
var serverTime = time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return serverTime }

func TestSweepRun(t *testing.T) {
	made := func(name, run string, left time.Duration) *corev1.Namespace {
		return fixtures.Namespace(name, fixtures.Restricted, fixtures.Run{ID: run, Expires: serverTime.Add(left)})
	}
	untimed := made("rollcall-untimed", "old", 0)
	untimed.Annotations = nil
	for _, row := range []struct {
		sentence string
		extent   Extent
		left     []string
		says     string
	}{
		{"before a run: namespaces of a dead run, and expired ones", BeforeRun,
			[]string{"default", "rollcall-alive", "rollcall-of-no-run", "rollcall-untimed", "team"}, ""},
		{"for a person: the same, and what it leaves", Leftovers,
			[]string{"default", "rollcall-alive", "rollcall-of-no-run", "rollcall-untimed", "team"},
			"staging: leaving namespace rollcall-alive, of run alive, which needs it until 2030-01-02 12:01:00 UTC; --all takes it too\n"},
		{"everything: all but what has not our name", Everything, []string{"default", "team"},
			"staging: leaving namespace team: it has Rollcall's label, but not a name that Rollcall gives\n"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			client := newFake(t,
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}},
				made("rollcall-alive", "alive", time.Minute), made("rollcall-dead", "dead", time.Minute), made("rollcall-over", "old", -time.Minute),
				made("rollcall-of-no-run", "", -time.Minute), untimed, made("team", "old", -time.Minute),
				&corev1.Pod{ObjectMeta: ours("rollcall-dead", "pod", "dead", 0)}, &corev1.Service{ObjectMeta: ours("rollcall-dead", "echo", "dead", 0)},
				&corev1.Pod{ObjectMeta: ours("rollcall-alive", "pod", "alive", 0)},
			)
			var out strings.Builder
			sweep := Sweep{Cluster: "staging", Client: client, Out: &out, Extent: row.extent, Dead: map[string]bool{"dead": true}, Now: clock}
			if err := sweep.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.left, namespaces(t, client)); diff != "" {
				t.Errorf("namespaces left (-want +got):\n%s", diff)
			}
			pods, err := client.CoreV1().Pods("rollcall-dead").List(t.Context(), metav1.ListOptions{})
			if err != nil || len(pods.Items) > 0 {
				t.Errorf("%d pods are left in a namespace that was deleted, %v", len(pods.Items), err)
			}
			for _, want := range []string{"staging: deleting namespace rollcall-dead, of run dead, which died on this host\n", row.says} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it says %q, and not %q", out.String(), want)
				}
			}
		})
	}
}

func TestSweepPreassigned(t *testing.T) {
	for _, row := range []struct {
		sentence string
		extent   Extent
		run      string // whose objects are there; empty: an earlier Rollcall's, which named none
		left     time.Duration
		says     string // an error if it is refused, or else what is printed
		refused  bool
		stays    bool
	}{
		{"objects of a run that needs them stop a run, whatever its host's clock says", BeforeRun, "another", time.Minute,
			"namespace shop: it has 1 objects of run another, which needs it until 2030-01-02 12:01:00 UTC: if that run is over: " +
				"rollcall clean --all with the same --context and --namespace", true, true},
		{"expired ones are of a run that was killed elsewhere", BeforeRun, "another", -time.Minute,
			"namespace shop: deleting 1 objects of run another, which needed it until 2030-01-02 11:59:00 UTC\n", false, false},
		{"those of a run of this host that is known to be dead go at once", BeforeRun, "dead", time.Minute,
			"namespace shop: deleting 1 objects of run dead, which died on this host\n", false, false},
		{"those that name no run stop a run", BeforeRun, "", 0, "namespace shop: it has 1 objects that name no run: ", true, true},
		{"a person is told what stays", Leftovers, "another", time.Minute,
			"namespace shop: leaving 1 objects of run another, which needs it until 2030-01-02 12:01:00 UTC; --all takes it too\n", false, true},
		{"everything goes if asked for", Everything, "another", time.Minute, "namespace shop: deleting 1 objects", false, false},
		{"of no run too", Everything, "", 0, "namespace shop: deleting 1 objects", false, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			theirs := metav1.ObjectMeta{Namespace: "shop", Name: "theirs"}
			client := newFake(t,
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}},
				&corev1.Pod{ObjectMeta: ours("shop", "pod", row.run, row.left)}, &corev1.Secret{ObjectMeta: ours("shop", "agents", row.run, row.left)},
				&corev1.Pod{ObjectMeta: ours("shop-rules", "observer", row.run, row.left)},
				&corev1.Pod{ObjectMeta: theirs}, &corev1.Secret{ObjectMeta: theirs},
			)
			var out strings.Builder
			err := Sweep{Cluster: "staging", Client: client, Out: &out, Extent: row.extent, Dead: map[string]bool{"dead": true},
				Preassigned: []string{"shop"}, Observers: true, Now: clock}.Run(t.Context())
			said := out.String()
			if usage.Is(err) != row.refused || err != nil && !row.refused {
				t.Fatalf("%v; want it refused: %v", err, row.refused)
			} else if row.refused {
				said = err.Error()
			}
			if !strings.Contains(said, row.says) {
				t.Errorf("it says %q, and not %q", said, row.says)
			}
			want := []string{"shop/theirs"}
			if row.stays {
				want = []string{"shop-rules/observer", "shop/pod", "shop/theirs"}
			}
			if diff := cmp.Diff(want, pods(t, client)); diff != "" {
				t.Errorf("pods left (-want +got):\n%s", diff)
			}
			secrets, err := client.CoreV1().Secrets("shop").List(t.Context(), metav1.ListOptions{})
			if err != nil || len(secrets.Items) == 2 != row.stays {
				t.Errorf("%d secrets are left, %v", len(secrets.Items), err)
			}
			if names := namespaces(t, client); !slices.Equal(names, []string{"shop"}) {
				t.Errorf("namespaces %v are left, and the preassigned one has to stay", names)
			}
		})
	}
}

// A run that died may have left a Secret alone, which nobody may list.
func TestSweepDeletesWhatIsNotListed(t *testing.T) {
	client := newFake(t, &corev1.Secret{ObjectMeta: ours("shop", "agents", "dead", time.Minute)})
	sweep := Sweep{Client: client, Out: io.Discard, Dead: map[string]bool{"dead": true}, Preassigned: []string{"shop"}, Now: clock}
	err := sweep.Run(t.Context())
	secrets, listed := client.CoreV1().Secrets("shop").List(t.Context(), metav1.ListOptions{})
	if err := errors.Join(err, listed); err != nil || len(secrets.Items) > 0 {
		t.Errorf("%d secrets are left, %v", len(secrets.Items), err)
	}
}

func pods(t *testing.T, client kubernetes.Interface) (names []string) {
	t.Helper()
	list, err := client.CoreV1().Pods(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list.Items {
		names = append(names, p.Namespace+"/"+p.Name)
	}
	slices.Sort(names)
	return names
}

func TestOfOthers(t *testing.T) {
	deleted := metav1.NewTime(serverTime)
	before := fixtures.Run{ID: "before", Expires: serverTime}
	terminating := fixtures.Namespace("terminating", fixtures.Restricted, before)
	terminating.DeletionTimestamp, terminating.Finalizers = &deleted, []string{"kubernetes"}
	slow := terminating.DeepCopy()
	slow.Name = "slow"
	client := newFake(t,
		fixtures.Namespace("mine", fixtures.Restricted, fixtures.Run{ID: "now"}), &corev1.Pod{ObjectMeta: ours("mine", "pod", "now", 0)},
		terminating, slow, &corev1.Pod{ObjectMeta: ours("slow", "pod", "before", 0)},
		fixtures.Namespace("forgotten", fixtures.Restricted, fixtures.Run{}),
	)
	found, err := OfOthers(t.Context(), client, "now")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"namespace forgotten of another run was still there, with 0 pods",
		"namespace slow of run before, which needs it until 2030-01-02 12:00:00 UTC at the latest, was still there, with 1 pods",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
