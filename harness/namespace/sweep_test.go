package namespace

import (
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

// ours returns the metadata of an object of ours in a namespace, of an age.
func ours(namespace, name string, age time.Duration) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: fixtures.Namespace("", "run", "", time.Time{}).Labels,
		CreationTimestamp: metav1.NewTime(time.Now().Add(-age))}
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

func TestSweepRun(t *testing.T) {
	now := time.Now()
	made := func(name, run string, expires time.Time) *corev1.Namespace {
		return fixtures.Namespace(name, run, fixtures.Restricted, expires)
	}
	untimed := made("untimed", "old", now)
	untimed.Annotations = nil
	for _, row := range []struct {
		sentence string
		extent   Extent
		left     []string
	}{
		{"stale runs: namespaces of a dead run, and expired ones", StaleRuns, []string{"alive", "default", "of-no-run", "untimed"}},
		{"all runs: it neither deletes nor awaits a namespace that names no run", AllRuns, []string{"default", "of-no-run"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			client := newFake(t,
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}},
				made("alive", "alive", now.Add(time.Minute)), made("dead", "dead", now.Add(time.Minute)), made("over", "old", now.Add(-time.Minute)),
				made("of-no-run", "", now.Add(-time.Minute)), untimed,
				&corev1.Pod{ObjectMeta: ours("dead", "pod", 0)}, &corev1.Service{ObjectMeta: ours("dead", "echo", 0)},
				&corev1.Pod{ObjectMeta: ours("alive", "pod", 0)},
			)
			var out strings.Builder
			sweep := Sweep{Cluster: "staging", Client: client, Out: &out, Extent: row.extent, Stale: map[string]bool{"dead": true}}
			if err := sweep.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.left, namespaces(t, client)); diff != "" {
				t.Errorf("namespaces left (-want +got):\n%s", diff)
			}
			pods, err := client.CoreV1().Pods("dead").List(t.Context(), metav1.ListOptions{})
			if err != nil || len(pods.Items) > 0 {
				t.Errorf("%d pods are left in a namespace that was deleted, %v", len(pods.Items), err)
			}
			if want := "staging: deleting namespace dead, which run dead left behind\n"; !strings.Contains(out.String(), want) {
				t.Errorf("it says %q, and not %q", out.String(), want)
			}
		})
	}
}

func TestSweepPreassigned(t *testing.T) {
	for _, row := range []struct {
		sentence string
		extent   Extent
		stale    map[string]bool
		age      time.Duration // of the pod that is there
		refused  bool
	}{
		{"a young pod may be of a run that is under way", StaleRuns, nil, time.Minute, true},
		{"an old one is of a run that died elsewhere", StaleRuns, nil, 16 * time.Minute, false},
		{"a young pod may be of a run that is known to be dead", StaleRuns, map[string]bool{"run": true}, time.Minute, false},
		{"a sweep of all runs does not look at the age", AllRuns, nil, time.Minute, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			theirs := metav1.ObjectMeta{Namespace: "shop", Name: "theirs"}
			client := newFake(t,
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}},
				&corev1.Pod{ObjectMeta: ours("shop", "pod", row.age)}, &corev1.Secret{ObjectMeta: ours("shop", "agents", row.age)},
				&corev1.Pod{ObjectMeta: ours("shop-rules", "observer", row.age)},
				&corev1.Pod{ObjectMeta: theirs}, &corev1.Secret{ObjectMeta: theirs},
			)
			err := Sweep{Cluster: "staging", Client: client, Out: io.Discard, Extent: row.extent, Stale: row.stale,
				Preassigned: []string{"shop"}, Observers: true}.Run(t.Context())
			if usage.Is(err) != row.refused || err != nil && !row.refused {
				t.Fatalf("%v; want it refused: %v", err, row.refused)
			}
			want := []string{"shop/theirs"}
			if row.refused {
				want = []string{"shop-rules/observer", "shop/pod", "shop/theirs"}
			}
			if diff := cmp.Diff(want, pods(t, client)); diff != "" {
				t.Errorf("pods left (-want +got):\n%s", diff)
			}
			secrets, err := client.CoreV1().Secrets("shop").List(t.Context(), metav1.ListOptions{})
			if err != nil || len(secrets.Items) == 2 != row.refused {
				t.Errorf("%d secrets are left, %v", len(secrets.Items), err)
			}
			if names := namespaces(t, client); !slices.Equal(names, []string{"shop"}) {
				t.Errorf("namespaces %v are left, and the preassigned one has to stay", names)
			}
		})
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

func TestLeftovers(t *testing.T) {
	now := metav1.Now()
	terminating := fixtures.Namespace("terminating", "before", fixtures.Restricted, now.Time)
	terminating.DeletionTimestamp, terminating.Finalizers = &now, []string{"kubernetes"}
	slow := terminating.DeepCopy()
	slow.Name = "slow"
	client := newFake(t,
		fixtures.Namespace("mine", "now", fixtures.Restricted, now.Time), &corev1.Pod{ObjectMeta: ours("mine", "pod", 0)},
		terminating, slow, &corev1.Pod{ObjectMeta: ours("slow", "pod", 0)},
		fixtures.Namespace("forgotten", "before", fixtures.Restricted, now.Time),
	)
	found, err := Leftovers(t.Context(), client, "now")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"namespace forgotten of another run was still there, with 0 pods",
		"namespace slow of another run was still there, with 1 pods",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
