package cases

import (
	"slices"
	"strings"
	"testing"
)

// Manifests that kubectl takes, and what a kind cluster lacks for them.
var manifestCases = []userCase{
	{name: "m1a", file: "m1", sentence: "an object before its CustomResourceDefinition is created once its kind is served",
		cluster: &onCluster{exit: "0", may: "RC3006", never: "left out"}},
	{name: "m1a-undefined", file: "m1", sentence: "one without it is left out, in one line", edits: undefined,
		cluster: &onCluster{exit: "0", may: "RC3006", never: "is left out:",
			says: "left out: Tenant x: a kind cluster does not have kind Tenant of rollcall.example.org/v1"}},
	{name: "m1b", file: "m1b", sentence: "an install file without namespaces, whose binding names one"},
	{name: "n2a", file: "n2", sentence: "a native sidecar without a hook ends after the app, and loses no new connection", service: "web/",
		edits: exits, cluster: &onCluster{exit: "0 1", may: "RC3004 RC3006", never: "give container proxy"}},
	{name: "n2b", file: "n2", sentence: "its hook stops it from listening, before nodes know", service: "web/",
		edits: []string{probed, "        lifecycle: {preStop: {httpGet: {path: /shutdown, port: web}}}\n" + probed,
			"{name: ROLLCALL_LISTEN", "{name: ROLLCALL_SHUTDOWN, value: \"true\"}\n        - {name: ROLLCALL_LISTEN"},
		cluster: &onCluster{exit: "1", advice: "RC3005", may: "RC3004 RC3006 RC3011 RC3016", says: "proxy"}},
	{name: "n2c", file: "n2", sentence: "as a plain container it ends at once, and needs the same hook", service: "web/",
		edits: slices.Concat(exits, []string{"      - name: proxy\n", "      containers:\n      - name: proxy\n",
			"        restartPolicy: Always\n", "",
			"      containers:\n      - name: app\n", "      - name: app\n"}),
		cluster: &onCluster{exit: "1", causes: "stale-endpoint/terminating/rollout/manifest", advice: "RC3006", may: "RC3004 RC3011 RC3016",
			says: "- name: proxy + lifecycle: + preStop:"}},
	{name: "n4", file: "n4", sentence: "anchors, merge keys, a List in a List, an empty one and a document of comments"},
	{name: "n4-alias", file: "n4", sentence: "an alias whose anchor is in another document", edits: []string{"data: {a: b}", "data: *labels"}},
	{name: "n5a", file: "web", sentence: "a load balancer with a policy and ranges", service: "web/",
		edits: []string{selector, strings.Replace(selector, "{", "{type: LoadBalancer, externalTrafficPolicy: Local, "+
			"loadBalancerSourceRanges: [192.0.2.0/24], ", 1)},
		cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "n5b", file: "n5", sentence: "another name of a Service in another namespace of the file", service: "front/",
		edits: []string{"n5-data", "n5b-data"}, flags: []string{"--rate=20"}, cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "n5c", file: "n5", sentence: "its own name, in the environment", service: "front/",
		edits: []string{"http://db/", "http://back.n5-data.svc.cluster.local/", "n5-data", "n5c-data"}, flags: []string{"--rate=20"},
		cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "hooks", file: "hooks", sentence: "hooks of Helm and Argo CD run in their order, and tests never", service: "web/",
		next: startsIn("1s"), cluster: &onCluster{exit: "0", may: "RC3006 RC3034", says: "left out: 1 hook of tests: Pod smoke"}},
	{name: "volumes", file: "volumes", sentence: "each pod has its volume, and finds it again",
		cluster: &onCluster{exit: "0", may: "RC3006 RC3034", says: "volumes: data-web-0, data-web-1, data-web-2…: each a folder of a node"}},
}

// applyCases have kubectl apply such manifests.
var applyCases = []userCase{
	{name: "m1c", file: "m1", sentence: "kubectl applies the rest, and fails for an object whose kind nobody defines",
		edits: slices.Concat(undefined, []string{"apiVersion: rollcall.example.org/v1\nkind: Tenant", "apiVersion: v1\nkind: ConfigMap",
			"spec: {size: 3}", `data: {size: "3"}`}),
		next: slices.Concat(undefined, []string{starts, "{name: ROLLCALL_START_DELAY, value: 1s}"}),
		before: func(t *testing.T, f folder) {
			t.Cleanup(func() { f.sh(t, "kubectl delete crd --ignore-not-found lodgers.rollcall.example.org") })
		},
		script:  "kubectl apply -f - <next.yaml; failed=$?; kubectl rollout status deployment/web --timeout=2m; exit $failed",
		cluster: &onCluster{exit: "0", may: "RC3006 RC3034", says: "the command failed with exit code 1"}},
}

// Parts of n2.yaml. A proxy that exits has nobody wait for an app which is gone.
var (
	probed = "        readinessProbe: {httpGet: {path: /ready, port: web}"
	exits  = []string{"        - {name: ROLLCALL_ON_TERM, value: drain}\n        - {name: ROLLCALL_LINGER, value: 2s}\n" + probed, probed}
)

// undefined has the definition be of another kind.
var undefined = []string{"tenants", "lodgers", "names: {kind: Tenant", "names: {kind: Lodger"}
