package cases

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/reports"
)

// A waiter is a command that people have wait for a rollout, after another version was applied.
type waiter struct {
	name  string
	apply string // shell that applies version w$i; empty: kubectl set env
	waits string // shell; $old has the names of the old pods
	needs string // a program beside rollcall that this host may not have; empty: none
}

// helm upgrades a release whose chart has the app at version w$i.
const helm = `mkdir -p chart/templates
		sed "s/value: v2/value: w$i/" next.yaml >chart/templates/web.yaml
		printf 'apiVersion: v2\nname: web\nversion: 1.0.%s\n' $i >chart/Chart.yaml
		helm upgrade --install web ./chart --namespace waiter --take-ownership --force-conflicts --timeout=5m `

var waiters = []waiter{
	{name: "kubectl wait --for=condition=Available", waits: "kubectl wait deployment/web --for=condition=Available --timeout=5m"},
	{name: "helm upgrade --wait=legacy", apply: ":", waits: helm + "--wait=legacy", needs: "helm"},
	{name: "helm upgrade --wait", apply: ":", waits: helm + "--wait", needs: "helm"},
	{name: "Argo CD's health is Healthy", needs: "argohealth",
		waits: `until [ "$(kubectl get deployment web -o json | argohealth)" = Healthy ]; do sleep 0.5; done`},
	{name: "kubectl rollout status", waits: "kubectl rollout status deployment/web --timeout=5m"},
	{name: "kubectl wait --for=delete of the old pods", waits: "kubectl wait $old --for=delete --timeout=5m"},
	{name: "rollcall wait", waits: "rollcall wait --service=waiter/web"},
}

// tries is how often each waiter is run; rollcall wait more often, since what it promises is checked: that it returns when no old pod
// answers any more, and at most 2 s later. The kubelet takes up to a second or so to see that a container has ended and to have its pod
// deleted, and rollcall wait looks every half second.
const (
	tries, moreTries = 3, 10
	promised         = 2 * time.Second
)

// TestWaitersOnACluster measures for how long old pods answer after waiters have returned, on a cluster of each mode that MODES names.
// `make waiters` runs it, and prints the table of the guide to waiting.
func TestWaitersOnACluster(t *testing.T) {
	onClusters(t, func(t *testing.T, s *site) {
		for _, w := range waiters {
			t.Run(w.name, func(t *testing.T) { w.run(t, s) })
		}
	})
}

func (w waiter) run(t *testing.T, s *site) {
	if _, err := os.Stat(filepath.Join(s.programs, w.needs)); err != nil {
		t.Skip(err)
	}
	n, checked := tries, w.name == "rollcall wait"
	if checked {
		n = moreTries
	}
	var all []string
	for _, answered := range w.measure(t, s, n) {
		all = append(all, fmt.Sprintf("%.1f s", answered.Seconds()))
		if checked && (answered > 0 || answered < -promised) {
			t.Errorf("old pods answered until %v after it", answered)
		}
	}
	t.Log(reports.Row("`"+w.name+"`", strings.Join(all, ", ")))
}

// measure rolls the app out n times, and returns for how long old pods answered after the waiter had returned; negative: they had ended
// before.
func (w waiter) measure(t *testing.T, s *site, n int) (answered []time.Duration) {
	// From SIGTERM until a pod closes its connections: no client asks it any more by then.
	drained := append(sleeps("10"), "value: 2s", "value: 500ms")
	c := userCase{name: "waiter", file: "web", edits: drained, next: slices.Concat(drained, []string{"        env:\n",
		"        env:\n        - {name: ROLLCALL_VERSION, value: v2}\n"})}
	f := s.folder(t, c.name)
	c.manifests(t, f.path)
	c.prepare(t, f)
	script := fmt.Sprintf(`for i in $(seq %d); do
		old=$(kubectl get pods -l app=web -o name)
		%s
		%s
		date +%%s%%N >>returned
		rollcall wait --service=waiter/web
	done`, n, cmp.Or(w.apply, "kubectl set env deployment/web ROLLCALL_VERSION=w$i"), w.waits)
	cmd := f.command(t.Context(), "rollcall", "during", "--keep", "--modes="+s.mode, "--settle=3s",
		"--service="+f.namespace+"/web", "--", "sh", "-ec", script)
	out, err := cmd.CombinedOutput()
	shown := read(t, string(out))
	if err != nil && cmd.ProcessState.ExitCode() != 1 { // whether a client loses a request is not the question
		t.Fatalf("%v: %s", err, out)
	}
	recording, err := kept.Read(evidence.ScenarioFolder(shown.folder, s.mode, "during", "maintenance", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	versions := timeline.AllReplies(recording.Timeline.ServiceLanes())
	slices.SortFunc(versions, func(a, b timeline.Replies) int { return cmp.Compare(a.First, b.First) })
	text, err := os.ReadFile(filepath.Join(f.path, "returned"))
	if err != nil {
		t.Fatal(err)
	}
	returned := strings.Fields(string(text))
	if len(returned) != n || len(versions) != n+1 {
		t.Fatalf("it returned %d times, and %d versions answered", len(returned), len(versions))
	}
	for i, at := range returned {
		nanoseconds, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		answered = append(answered, versions[i].LastEnd-time.Unix(0, nanoseconds).Sub(recording.Run.Began))
	}
	return answered
}
