package cases

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/golden"
)

//go:generate go test . -update

const (
	ownLabels = "matchLabels: {app: operate, app.kubernetes.io/managed-by: Helm}"
	itsName   = "httpGet: {path: /ready, port: http, httpHeaders: [{name: Host, value: cloud.example.org}]}"
)

// streamed are the flags of an app whose replies are streams.
var streamed = []string{"--protocol=sse", "--end-mark=[DONE]", "--longest=30s"}

// An app that loses nothing gets advice RC3006, which then says by how much.
var tryCases = []userCase{
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
		flags: []string{"--rate=10"}, cluster: &onCluster{exit: "1 3", advice: "RC3015", may: "RC3011", says: "The rollout is not the cause."}},
	{name: "f7-longer", file: "f7", sentence: "it keeps them for longer than its clients do", edits: []string{"1997ms", "65s"},
		flags: []string{"--rate=10"}, cluster: &onCluster{exit: "0", advice: "RC3006"}},
	{name: "f8", file: "f8", sentence: "the container behind ends first, and the one before it answers 502", service: "web/",
		cluster: &onCluster{exit: "1", advice: "RC3004", says: "give container back the same preStop hook"}},
	{name: "f8-both", file: "f8", sentence: "both have the hook, and the init container has the release", service: "web/",
		to: "copy=rollcall.local/echo:v2", edits: []string{"value: 200ms}", "value: 200ms}\n        - {name: ROLLCALL_ON_TERM, value: drain}\n" +
			"        - {name: ROLLCALL_LINGER, value: 4s}\n        lifecycle: {preStop: {sleep: {seconds: 10}}}"},
		cluster: &onCluster{exit: "0", advice: "RC3006"}},
	{name: "f9", file: "f9", sentence: "what waits in the listen queue of a worker is dropped", service: "web/",
		flags: []string{"--rate=12"}, cluster: &onCluster{exit: "1", advice: "RC3006 RC3016"}},
	{name: "f9-sleep", file: "f9", sentence: "after a preStop sleep nothing waits there", service: "web/",
		edits: []string{"        readinessProbe", "        lifecycle: " + hook + "\n        readinessProbe",
			"value: 100ms", "value: 80ms"}, // so that none waits for 2 s by chance, which is 1 run of 30
		flags: []string{"--rate=12"}, cluster: &onCluster{exit: "0", advice: "RC3006"}},
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
	{name: "o6-first", file: "o6", sentence: "an old pod goes first, and leaves the port", edits: []string{"maxSurge: 1, maxUnavailable: 0",
		"maxSurge: 0, maxUnavailable: 1", "        readinessProbe", "        env: [{name: ROLLCALL_ON_TERM, value: drain}, {name: ROLLCALL_LINGER, value: 2s}]\n" +
			"        lifecycle: " + hook + "\n        readinessProbe"},
		cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "grace", file: "web", sentence: "a grace period as long as the hook leaves 2 s for requests that take 3 s", service: "web/",
		edits: slices.Concat(slowReplies, []string{containersOfWeb, "      terminationGracePeriodSeconds: 5\n" + containersOfWeb}),
		flags: []string{"--timeout=6s", "--rate=10"}, cluster: &onCluster{exit: "1", causes: "dropped/killed/rollout/app",
			advice: graceTooShort, may: "RC3006 RC3011 " + killed}},
	{name: "grace-longer", file: "web", sentence: "one of 30 s leaves enough", service: "web/", edits: slowReplies,
		flags: []string{"--timeout=6s", "--rate=10"}, cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "local", file: "web", sentence: "with the policy Local, a node has nobody between its old pod and its new one", service: "web/",
		edits:   onEachNode,
		cluster: &onCluster{exit: "1", causes: "stale-endpoint/terminating/rollout/*", advice: noneOnNode, may: "RC3007"}},
	{name: "local-surged", file: "web", sentence: "the new pod is there before the old one goes", service: "web/",
		edits:   slices.Concat(onEachNode, []string{"  selector: {matchLabels", "  updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n  selector: {matchLabels"}),
		cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "image", file: "f5", sentence: "an image that nobody has is named before anything is waited for",
		edits:   []string{"rollcall.local/echo:v1", "rollcall.local/none:1"},
		cluster: &onCluster{exit: "2", says: "image rollcall.local/none:1: "}},
	{name: "h4-job", file: "h4", sentence: "a Job whose pod is behind the Service too is named, and is not what is rolled out"},
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
	{name: "paused", file: "n12", sentence: "nor would one of a Deployment that is paused",
		edits: []string{"replicas: 3", "replicas: 3\n  paused: true"}},
	{name: "h4-try", file: "h4", sentence: "a Job of the manifests is behind the Service, and the app is not blamed for it", service: "web/",
		edits: resumed, cluster: &onCluster{exit: "1 3", causes: "not-listening/other-workload/*/other-workload", advice: othersBehind,
			says: "migrate"}},
	{name: "h7", file: "h7", sentence: "which Deployment behind a Service is rolled out has to be said", service: "reviews/",
		cluster: &onCluster{exit: "2", says: "--workload"}},
	{name: "h7-workload", file: "h7", sentence: "replies of the others are expected", service: "reviews/", workload: "reviews-v2",
		next: []string{"value: v2}", "value: v2b}"}, cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "m4", file: "m4", sentence: "an app that waits for streams is killed at the end of its grace period", service: "web/",
		cluster: &onCluster{exit: "0", advice: killed, may: "RC3006", says: "exit code 137"}},
	{name: "m4-bound", file: "m4", sentence: "it waits for 5 s, and ends by itself", service: "web/",
		edits: []string{"value: 1h", "value: 5s"}, cluster: &onCluster{exit: "0", may: "RC3006", never: "exit code 137"}},
	{name: "m4-events", file: "m4", sentence: "a reply without an end is none to a client of requests", service: "web:80/events",
		cluster: &onCluster{exit: "2", says: "its reply begins, and does not end"}},
	{name: "llm", file: "llm", sentence: "a program that exits cuts its streams", service: "llm:80/chat", flags: streamed,
		cluster: &onCluster{exit: "1", causes: "cut/terminating/rollout/manifest", advice: streamsCut, may: measured,
			says: "exited after SIGTERM"}},
	{name: "llm-fixed", file: "llm", sentence: "a preStop sleep as long as the longest stream mends that", service: "llm:80/chat",
		flags:   append(slices.Clone(streamed), "--fix"),
		cluster: &onCluster{exit: "1", advice: streamsCut, may: "RC3006 " + measured, says: "lost; with this patch 0 of"}},
	{name: "llm-killed", file: "llm", sentence: "the end of the grace period cuts those of a program that waits", service: "llm:80/chat",
		flags: streamed, edits: []string{"terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 7", "value: 1s", "value: 1h"},
		cluster: &onCluster{exit: "1", advice: streamsCut, may: killed + " " + measured, says: "killed at the end of the grace period of 7s"}},
	{name: "llm-drained", file: "llm", sentence: "a program that awaits the longest one cuts none", service: "llm:80/chat", flags: streamed,
		edits: []string{"value: 1s", "value: 20s"}, cluster: &onCluster{exit: "0", may: "RC3006 " + measured}},
	{name: "m10a", file: "web", sentence: "where only the probe's path is asked, an app without its configuration passes", edits: unconfigured,
		cluster: &onCluster{exit: "0", may: "RC3006", says: "only /ready is asked, which is a probe's path"}},
	{name: "m10a-clients", file: "web", sentence: "clients get 404 from new pods that are ready", service: "web/", edits: unconfigured,
		cluster: &onCluster{exit: "1", causes: "status/not-able/rollout/manifest", advice: readyTooSoon, says: "404"}},
	{name: "m10a-probed", file: "web", sentence: "the probe asks what clients ask", service: "web/",
		edits: slices.Concat(unconfigured, []string{"path: /ready", "path: /"}), cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "m10b", file: "web", sentence: "new pods are slow at first, and nobody has said how slow they may be", service: "web/", edits: cold,
		cluster: &onCluster{exit: "0", may: "RC3006 " + coldStart}},
	{name: "m10b-limit", file: "web", sentence: "they may not be", service: "web/", edits: cold, flags: []string{"--max-latency=p99=300ms"},
		cluster: &onCluster{exit: "1", may: "RC3006 " + coldStart}},
	{name: "m10b-warm", file: "web", sentence: "pods get ready once they are warm", service: "web/",
		flags:   []string{"--max-latency=p99=300ms"},
		edits:   slices.Concat(cold, []string{"periodSeconds: 1}", "periodSeconds: 1, initialDelaySeconds: 16}"}),
		cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "n1", file: "web", sentence: "the Service leads to pods before they listen, and until they have ended", service: "web/",
		edits: slices.Concat(slowStart, []string{selector, "spec: {publishNotReadyAddresses: true, selector: {app: web}, "}),
		cluster: &onCluster{exit: "1", causes: "not-listening/starting/rollout/manifest not-listening/terminating/rollout/manifest",
			advice: unreadyPublished, says: "publishNotReadyAddresses"}},
	{name: "n1-ready", file: "web", sentence: "it leads to ready ones alone", service: "web/", edits: slowStart,
		cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "n9", file: "n9", sentence: "workers are recycled, whatever is rolled out", service: "web/", flags: []string{"--rate=50"},
		cluster: &onCluster{exit: "1 3", causes: "dropped/ready/nothing/app", advice: recycled}}, // 3: it loses some before the rollout too
	{name: "n9-shared", file: "n9", sentence: "they share one listener, which stays open", service: "web/", flags: []string{"--rate=50"},
		edits: []string{`value: "30"`, `value: "0"`}, cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "n14-try", file: "n14", sentence: "OnDelete rolls nothing out by itself", service: "safe-active",
		edits: []string{`selector: {active: "true"}`, "selector: {app: safe}"}, cluster: &onCluster{exit: "2", says: "OnDelete"}},
}

// Changes of the app of web.yaml.
var (
	unconfigured = []string{starts, "{name: ROLLCALL_CONFIG_DELAY, value: 8s}"}
	cold         = []string{starts, "{name: ROLLCALL_COLD, value: 800ms}\n        - {name: ROLLCALL_COLD_FOR, value: 15s}"}
	slowReplies  = []string{starts, starts + "\n        - {name: ROLLCALL_HANDLER_DELAY, value: 3s}"}
	onEachNode   = []string{"kind: Deployment", "kind: DaemonSet", "  replicas: 3\n", "", selector,
		"spec: {internalTrafficPolicy: Local, selector: {app: web}, "}
	slowStart = slices.Concat(startsIn("3s"), sleeps("10"))
)

// args returns the arguments of rollcall try.
func (c userCase) args(file, next string) []string {
	args := []string{"--filename=" + file}
	for _, flag := range c.flags {
		args = append(args, strings.ReplaceAll(flag, "{}", filepath.Dir(file)))
	}
	for _, option := range [][2]string{{"--service", c.service}, {"--workload", c.workload}, {"--to", cmp.Or(next, c.to)}} {
		if option[1] != "" {
			args = append(args, option[0]+"="+option[1])
		}
	}
	return args
}

// Each case is described, or rejected in one line, before there is a cluster.
func TestCases(t *testing.T) {
	var all bytes.Buffer
	for _, c := range slices.Concat(tryCases, serverCases, manifestCases) {
		dir := t.TempDir()
		file, next := c.manifests(t, dir)
		if c.before != nil {
			c.before(t, folder{path: dir, namespace: c.name})
		}
		code, said := executed(t, slices.Concat([]string{"try", "--dry-run"}, c.args(file, next))...)
		if c.cluster != nil && c.cluster.exit != "2" && code != 0 {
			t.Errorf("%s: %s", c.name, said)
		}
		fmt.Fprintf(&all, "%s: %s\n%s\n", c.name, c.sentence, strings.ReplaceAll(said, dir+"/", ""))
	}
	golden.File(t, "testdata/cases.txt", all.String())
}
