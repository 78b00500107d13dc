package standstill

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

// The log of a container that waits is that of its previous run.
func TestLastLines(t *testing.T) {
	const title = "the last lines of container web in pod web-2:\n"
	crashed := Obstacle{Kind: Exited, Pod: "web-2", Container: "web", waits: true}
	for _, row := range []struct {
		sentence string
		of       Obstacle
		log      string
		err      error
		asks     bool
		previous bool
		want     string
	}{
		{"a container that waits to restart", crashed, "starting\n\npanic: no DATABASE_URL\n", nil, true, true,
			title + "    starting\n    panic: no DATABASE_URL"},
		{"one that runs, whose probe fails", Obstacle{Kind: ProbeFails, Pod: "web-2", Container: "web"}, "ready\n", nil, true, false,
			title + "    ready"},
		{"what may be secret is withheld", crashed, "open postgres://web:s3cret@db/web\nDB_PASSWORD=s3cret", nil, true, true,
			title + "    open postgres://(withheld)@db/web\n    DB_PASSWORD=(withheld)"},
		{"what a terminal would obey is left out, and long lines are cut", crashed,
			"\x1b[31mno\x1b[0m " + strings.Repeat("x", 200), nil, true, true, title + "    [31mno[0m " + strings.Repeat("x", 105) + "…"},
		{"it logged nothing", crashed, "\n", nil, true, true, ""},
		{"it may not be read", crashed, "", errors.New("forbidden"), true, true, ""},
		{"a container that never ran has none", Obstacle{Kind: NotPulled, Pod: "web-2", Container: "web"}, "x", nil, false, false, ""},
		{"the Event did not say of which container", Obstacle{Kind: SlowStart, Pod: "web-2"}, "x", nil, false, false, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			client := fake.NewClientset()
			var asked *corev1.PodLogOptions
			client.PrependReactor("get", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
				asked = a.(k8stesting.GenericAction).GetValue().(*corev1.PodLogOptions)
				return true, &runtime.Unknown{Raw: []byte(row.log)}, row.err
			})
			if got := row.of.LastLines(t.Context(), client, "shop"); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
			if (asked != nil) != row.asks {
				t.Fatalf("asked for %+v", asked)
			}
			if asked != nil && (asked.Container != "web" || asked.Previous != row.previous || *asked.TailLines != lastLines ||
				*asked.LimitBytes != logBytes) {
				t.Errorf("asked for %+v", asked)
			}
		})
	}
}
