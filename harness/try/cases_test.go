package try

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/golden"
)

//go:generate go test . -update

// A userCase is something that went wrong for a user, with an app of ours instead of theirs.
type userCase struct {
	name, file  string // of the test, and of the manifest
	sentence    string
	edits       []string // pairs: a text of the manifest, and what replaces it
	next        []string // the same for the next version; none: a restart, or what to says
	service, to string   // as flags
	workload    string   // likewise
	cluster     *onCluster
}

// onCluster has what a case has to print that needs a cluster.
type onCluster struct {
	exit        string   // codes, any of which will do
	more        []string // flags
	advice, may string   // codes of advice that has to be given, and that may be
	says        string
}

const (
	hook      = "{preStop: {sleep: {seconds: 5}}}"
	ownLabels = "matchLabels: {app: operate, app.kubernetes.io/managed-by: Helm}"
	itsName   = "httpGet: {path: /ready, port: http, httpHeaders: [{name: Host, value: cloud.example.org}]}"
)

// An app that loses nothing gets advice RC3006, which then says by how much.
var userCases = []userCase{
	{name: "f1", file: "f1", sentence: "selectors that name app.kubernetes.io/managed-by are the owner's",
		cluster: &onCluster{exit: "0", advice: "RC3006"}},
	{name: "f1-service", file: "f1", sentence: "the selector of the Service alone names it",
		edits: []string{ownLabels, "matchLabels: {app: operate}"}},
	{name: "f1-budget", file: "f1", sentence: "that of the budget alone names it", edits: []string{
		"spec:\n  replicas: 3\n  selector: {" + ownLabels, "spec:\n  replicas: 3\n  selector: {matchLabels: {app: operate}",
		"selector: {app: operate, app.kubernetes.io/managed-by: Helm}, ports", "selector: {app: operate}, ports"}},
	{name: "f2", file: "f2", sentence: "a document of comments is none, and the load generator of the file is named", service: "front",
		cluster: &onCluster{exit: "1", advice: "RC3006", may: "RC3016"}},
	{name: "f2-services", file: "f2", sentence: "which of two Services clients use has to be said"},
	{name: "f3", file: "f3", sentence: "the back end runs, and no pod is there for as long as the app starts", service: "front/",
		cluster: &onCluster{exit: "1", advice: "RC3002", may: "RC3006 RC3016",
			says: "is left out: the cluster has no kind HorizontalPodAutoscaler of autoscaling/v2beta2"}},
	{name: "f3-surge", file: "f3", sentence: "with maxUnavailable 0 the drain alone is missing", service: "front/",
		edits: []string{"maxUnavailable: 1", "maxUnavailable: 0"}, cluster: &onCluster{exit: "1", advice: "RC3006", may: "RC3016"}},
	{name: "f4", file: "f4", sentence: "a lifecycle that is not a container's is refused"},
	{name: "f4-grace", file: "f4", sentence: "so is a grace period that is a container's",
		edits: []string{"      lifecycle: " + hook + "\n", "", "        ports", "        terminationGracePeriodSeconds: 30\n        ports"}},
	{name: "f4-twice", file: "f4", sentence: "so is a key that is there twice",
		edits: []string{"      lifecycle: " + hook + "\n", "", "  replicas: 3", "  replicas: 3\n  replicas: 3"}},
	{name: "f5", file: "f5", sentence: "a hook whose program is not in the image does not run",
		cluster: &onCluster{exit: "1", advice: "RC3001", says: "The preStop hook failed"}},
	{name: "f6", file: "f6", sentence: "a hook that stops the app from listening drains nothing",
		cluster: &onCluster{exit: "1", advice: "RC3005"}},
	{name: "f6-sleep", file: "f6", sentence: "one that sleeps before does",
		edits:   []string{"{httpGet: {path: /shutdown, port: http}}", "{exec: {command: [/echo, sleep, 10s]}}"},
		cluster: &onCluster{exit: "0", advice: "RC3006"}},
	{name: "f7", file: "f7", sentence: "connections that the app closes when idle are not the rollout's fault",
		cluster: &onCluster{exit: "1 3", more: []string{"--rate=10"}, advice: "RC3015", may: "RC3011", says: "The rollout is not the cause."}},
	{name: "f7-longer", file: "f7", sentence: "it keeps them for longer than its clients do", edits: []string{"1997ms", "65s"},
		cluster: &onCluster{exit: "0", more: []string{"--rate=10"}, advice: "RC3006"}},
	{name: "f8", file: "f8", sentence: "the container behind ends first, and the one before it answers 502", service: "web/",
		cluster: &onCluster{exit: "1", advice: "RC3004", says: "give container back the same preStop hook"}},
	{name: "f8-both", file: "f8", sentence: "both have the hook, and the init container has the release", service: "web/",
		to: "copy=rollcall.local/echo:v2", edits: []string{"value: 200ms}", "value: 200ms}\n        - {name: ROLLCALL_ON_TERM, value: drain}\n" +
			"        - {name: ROLLCALL_LINGER, value: 4s}\n        lifecycle: {preStop: {sleep: {seconds: 10}}}"},
		cluster: &onCluster{exit: "0", advice: "RC3006"}},
	{name: "f9", file: "f9", sentence: "what waits in the listen queue of a worker is dropped", service: "web/",
		cluster: &onCluster{exit: "1", more: []string{"--rate=12"}, advice: "RC3006 RC3016"}},
	{name: "f9-sleep", file: "f9", sentence: "after a preStop sleep nothing waits there", service: "web/",
		edits: []string{"        readinessProbe", "        lifecycle: " + hook + "\n        readinessProbe",
			"value: 100ms", "value: 80ms"}, // so that none waits for 2 s by chance, which is 1 run of 30
		cluster: &onCluster{exit: "0", more: []string{"--rate=12"}, advice: "RC3006"}},
	{name: "o2", file: "o2", sentence: "a Service with sessionAffinity keeps its clients at a pod that ends",
		cluster: &onCluster{exit: "1", advice: "RC3006 RC3012", may: "RC3016"}},
	{name: "o3", file: "o3", sentence: "an app that answers to its name alone is asked by what its probe says",
		cluster: &onCluster{exit: "0", advice: "RC3006"}},
	{name: "o3-unsaid", file: "o3", sentence: "where no probe says it, --host has to", edits: []string{itsName, "tcpSocket: {port: http}"},
		cluster: &onCluster{exit: "2", says: "400 Bad Request: name the host that it answers to with --host"}},
	{name: "o4", file: "o4", sentence: "the port at which pods are probed is asked, not the first",
		cluster: &onCluster{exit: "0", advice: "RC3006"}},
	{name: "o4-named", file: "o4", sentence: "a port is named as in the Service", service: "bus:client"},
	{name: "o5", file: "o5", sentence: "a slow start is waited for as long as the startup probe allows",
		cluster: &onCluster{exit: "0", advice: "RC3006"}},
	{name: "o5-killed", file: "o5-killed", sentence: "the liveness probe ends pods of the next version before they are ready",
		next: []string{"value: 1s", "value: 75s"}, cluster: &onCluster{exit: "3", advice: "RC3014"}},
	{name: "o6", file: "o6", sentence: "a host port keeps the new pod from every node",
		cluster: &onCluster{exit: "3", advice: "RC3013", says: "didn't have free ports"}},
	{name: "image", file: "f5", sentence: "an image that nobody has is named before anything is waited for",
		edits:   []string{"rollcall.local/echo:v1", "rollcall.local/none:1"},
		cluster: &onCluster{exit: "2", says: "image rollcall.local/none:1: "}},
	{name: "h4-job", file: "h4", sentence: "a Job whose pod is behind the Service too is named, and is not what is rolled out"},
	{name: "h7", file: "h7", sentence: "which of three workloads behind a Service is rolled out has to be said"},
	{name: "h7-workload", file: "h7", workload: "reviews-v2", sentence: "it is named, and the others get requests too"},
	{name: "h7-none", file: "h7", workload: "Deployment/reviews", sentence: "a workload that there is not is none"},
	{name: "n2", file: "n2", sentence: "a native sidecar has the port, and the hook of the container behind keeps it up"},
	{name: "n2-image", file: "n2", to: "image=rollcall.local/echo:v2", sentence: "its image is the one that image= names"},
	{name: "n12-selector", file: "n12", sentence: "a selector that old pods do not match takes them away at once",
		next: []string{`track: "1"`, `track: "2"`, "selector: {app: web}, ports", `selector: {app: web, track: "2"}, ports`}},
	{name: "n12-port", file: "n12", sentence: "another targetPort is for old pods too", next: []string{"8080", "9090"}},
	{name: "n12-named", file: "n12", sentence: "the number of a named port is each version's own",
		edits: []string{"targetPort: 8080", "targetPort: http"},
		next:  []string{"targetPort: 8080", "targetPort: http", "containerPort: 8080", "containerPort: 9090", `":8080"`, `":9090"`}},
	{name: "n12-left", file: "n12", sentence: "a targetPort that is left behind is named",
		next: []string{"containerPort: 8080", "containerPort: 9090"}},
	{name: "n14", file: "n14", sentence: "a label that pods get at run time may be what a Service selects"},
	{name: "ondelete", file: "n14", sentence: "no rollout of pods that only their deletion replaces would end",
		edits: []string{`selector: {app: safe, active: "true"}`, "selector: {app: safe}"}},
	{name: "paused", file: "n12", sentence: "nor would one of a Deployment that is paused",
		edits: []string{"replicas: 3", "replicas: 3\n  paused: true"}},
}

// manifests writes those of a case, in a namespace of its own, and returns the flags that name them.
func (c userCase) manifests(t *testing.T, dir string) (file, to string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "cases", c.file+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, edits []string) string {
		said := strings.ReplaceAll(string(text), "namespace: "+c.file+"}", "namespace: "+c.name+"}")
		for i := 0; i < len(edits); i += 2 {
			if !strings.Contains(said, edits[i]) {
				t.Fatalf("the manifest has no %q", edits[i])
			}
			said = strings.ReplaceAll(said, edits[i], edits[i+1])
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(said), 0o644); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	file, to = write("app.yaml", c.edits), c.to
	if c.next != nil {
		to = write("next.yaml", c.next)
	}
	return file, to
}

// Each case is described, or rejected in one line, before there is a cluster.
func TestCases(t *testing.T) {
	var all bytes.Buffer
	for _, c := range userCases {
		dir := t.TempDir()
		file, to := c.manifests(t, dir)
		var said bytes.Buffer
		_, err := Run(t.Context(), during.Terminal{Out: &said},
			Options{Sources: Sources{Files: []string{file}}, Service: c.service, Workload: c.workload, To: to, DryRun: true}, nil, nil)
		if err != nil {
			fmt.Fprintln(&said, "Error:", err)
		}
		if c.cluster != nil && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		fmt.Fprintf(&all, "%s: %s\n%s\n", c.name, c.sentence, strings.ReplaceAll(said.String(), dir+"/", ""))
	}
	golden.File(t, "testdata/cases.txt", all.String())
}
