package cases

import (
	"os/exec"
	"slices"
	"testing"

	"example.com/rollcall/harness/manifest"
)

// The commands are what somebody does to an app that runs, or to its cluster.
var duringCases = slices.Concat(jobCases, serviceCases, certificateCases, deletionCases, drainCases, canaryCases, systemCases, waiterCases,
	applyCases, gitopsCases, runningCases)

var resumed = []string{"suspend: true", "suspend: false"}

var jobCases = []userCase{
	{name: "h4", file: "h4", sentence: "while a Job runs, its pod is behind the Service, where nobody listens", next: resumed,
		script: `rollcall during mark 'the Job starts'
			kubectl apply -f - <next.yaml
			kubectl wait job/migrate --for=condition=Complete --timeout=2m
			rollcall during mark 'the Job is over'
			sleep 20`,
		cluster: &onCluster{exit: "1", causes: "not-listening/other-workload/other-started/other-workload", advice: othersBehind,
			says: "migrate"}},
}

// nobody has the Service select no pod.
const nobody = `kubectl patch service web -p '{"spec":{"selector":{"app":"nobody"}}}'`

// byHand adds two endpoints to three, at addresses that nobody has (RFC 5737).
const byHand = `sleep 5
	kubectl apply -f - <<END
	{"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
	"metadata": {"name": "web-by-hand", "labels": {"kubernetes.io/service-name": "web"}}, "ports": [{"name": "http", "port": 8080}],
	"endpoints": [{"addresses": ["192.0.2.1"]}, {"addresses": ["192.0.2.2"]}]}
END
	sleep 15`

// Rollouts: of what next.yaml has, of the same once more, and that awaited.
const (
	applied   = "kubectl apply -f - <next.yaml && kubectl rollout status deployment/web --timeout=5m"
	restart   = "kubectl rollout restart deployment/web\n"
	restarted = restart + "kubectl rollout status deployment/web --timeout=5m\n"
)

// Changes of the app of web.yaml, which the next version has too.
var (
	slow    = slices.Concat(startsIn("5s"), sleeps("10"))
	tracked = slices.Concat(slow, []string{template, `metadata: {labels: {app: web, track: "1"}}`,
		selector, `spec: {selector: {app: web, track: "1"}, `})
	listens  = slices.Concat(slow, []string{"        env:\n", "        env:\n        - {name: ROLLCALL_LISTEN, value: \":8080\"}\n"})
	numbered = slices.Concat(listens, []string{"targetPort: http", "targetPort: 8080"})
)

var serviceCases = []userCase{
	{name: "h6a", file: "web", sentence: "the Service selects nobody, and nobody mends it", flags: []string{"--max-outage=5s"},
		script: "sleep 15; " + nobody,
		cluster: &onCluster{exit: "1", causes: "no-endpoint/none/service-changed/manifest", advice: serviceChanged, says: "when the load ended",
			never: "recovered"}},
	{name: "h6b", file: "web", sentence: "the command ends as soon as it did that", settle: "3s",
		script:  "sleep 15; " + nobody,
		cluster: &onCluster{exit: "1", causes: "no-endpoint/none/service-changed/manifest", advice: serviceChanged, never: "recovered"}},
	{name: "h6c", file: "web", sentence: "an EndpointSlice by hand has a share fail, which is no outage", script: byHand,
		flags: []string{"--max-outage=5s"},
		cluster: &onCluster{exit: "0", causes: "stale-endpoint/none/service-changed/manifest", may: "RC3006 " + serviceChanged,
			never: "recovered"}},
	{name: "h6c-share", file: "web", sentence: "the share is too large", script: byHand, flags: []string{"--max-failed=1%"},
		cluster: &onCluster{exit: "1", causes: "stale-endpoint/none/service-changed/manifest", advice: serviceChanged, never: "recovered"}},
	{name: "n12a", file: "web", sentence: "the Service selects the new version alone, before any of its pods is ready",
		edits: tracked, next: slices.Concat(tracked, []string{`track: "1"`, `track: "2"`}), script: applied,
		cluster: &onCluster{exit: "1", causes: "no-endpoint/none/service-changed/manifest", advice: serviceChanged}},
	{name: "n12b", file: "web", sentence: "its port moves with the next version, while old pods are ready",
		edits: numbered, next: slices.Concat(numbered, []string{"8080", "9090"}), script: applied,
		cluster: &onCluster{exit: "1", causes: "not-listening/ready/service-changed/manifest", advice: serviceChanged}},
	{name: "n12c", file: "web", sentence: "the port has a name, so that each pod has its own",
		edits: listens, next: slices.Concat(listens, []string{"8080", "9090"}), script: applied, cluster: &onCluster{exit: "0", may: "RC3006"}},
}

var renamed = []string{"secretName: tls-1", "secretName: tls-2"}

// Clients are shown another certificate, which is all that went wrong: the rollout alone would have lost nothing.
var certificateCases = []userCase{
	{name: "n7a", file: "n7", sentence: "the next version has a certificate of an authority that clients do not know",
		service: "https:{}/web:443/", flags: []string{"--ca=ca-1.pem"}, before: issueCertificates, next: renamed, script: applied,
		cluster: &onCluster{exit: "1", causes: "tls/not-able/rollout/manifest", advice: otherAuthority, says: "when the load ended"}},
	{name: "n7b", file: "n7", sentence: "clients trust both authorities", service: "https:{}/web:443/",
		flags: []string{"--ca=ca-both.pem"}, before: issueCertificates, next: renamed, script: applied,
		cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "n7c", file: "n7", sentence: "the Secret is written anew, and one pod of three is replaced", service: "https:{}/web:443/",
		flags: []string{"--ca=ca-1.pem"}, before: issueCertificates,
		script: `kubectl apply -f - <renewed.yaml
			sleep 3
			kubectl delete $(kubectl get pods -l app=web -o name | head -n 1)
			kubectl rollout status deployment/web --timeout=2m
			sleep 10`,
		cluster: &onCluster{exit: "1", causes: "tls/not-able/deletion/manifest", advice: otherAuthority}},
}

// Shell for the StatefulSet of n14.yaml: clients reach safe-0 at first.
const (
	active   = "kubectl wait statefulset/safe --for='jsonpath={.status.readyReplicas}=3' --timeout=2m; kubectl label pod safe-0 active=true"
	await    = `await() { kubectl wait --for=create --timeout=1m pod/$1 && kubectl wait --for=condition=Ready --timeout=1m pod/$1; }` + "\n"
	standbys = await + `kubectl set env statefulset/safe ROLLCALL_VERSION=v2
			for pod in safe-2 safe-1; do kubectl delete pod $pod; await $pod; done
			`
)

var deletionCases = []userCase{
	{name: "n14a", file: "n14", sentence: "the pod that clients reach is deleted 8 s before they are led to another",
		service: "{}/safe-active", first: active, script: standbys + `kubectl delete pod safe-0 --wait=false
			sleep 8
			kubectl label pod safe-1 active=true
			await safe-0`,
		cluster: &onCluster{exit: "1", causes: "no-endpoint/none/deletion/manifest", advice: drainedAlone}},
	{name: "n14b", file: "n14", sentence: "they are led to another before it is deleted", service: "{}/safe-active",
		first: active, script: standbys + `kubectl label pod safe-1 active=true
			sleep 2
			kubectl label pod safe-0 active-
			sleep 2
			kubectl delete pod safe-0
			await safe-0`,
		cluster: &onCluster{exit: "0", may: "RC3006"}},
	{name: "n14-alone", file: "n14", sentence: "the template alone is changed, which replaces no pod", service: "{}/safe-active",
		first: active, script: "kubectl set env statefulset/safe ROLLCALL_VERSION=v2; sleep 5", cluster: &onCluster{exit: "3", says: "OnDelete"}},
}

const (
	onNode = "node=$(kubectl get pods -l app=web -o 'jsonpath={.items[0].spec.nodeName}')\n"
	drain  = "kubectl drain $node --ignore-daemonsets --timeout=60s; kubectl uncordon $node"
	budget = `
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: one-stays}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}`
)

// Changes of the app of web.yaml.
var (
	alone    = slices.Concat([]string{"replicas: 3", "replicas: 1"}, startsIn("5s"))
	budgeted = slices.Concat(alone, sleeps("15"), []string{ports, ports + budget})
)

var drainCases = []userCase{
	{name: "m7a", file: "web", sentence: "the only pod is drained, and serves until the next is ready",
		edits: slices.Concat(alone, sleeps("15")), script: onNode + drain,
		cluster: &onCluster{exit: "0", advice: servedAlone, may: "RC3006"}},
	{name: "m7a-short", file: "web", sentence: "it ends before the next is ready", script: onNode + drain,
		edits:   slices.Concat(alone, sleeps("2"), []string{"value: 2s", "value: 0s"}),
		cluster: &onCluster{exit: "1", causes: "no-endpoint/none/drain/manifest", advice: drainedAlone}},
	{name: "m7b", file: "web", sentence: "a budget keeps it, so that the drain shows nothing", edits: budgeted,
		script: onNode + drain, cluster: &onCluster{exit: "3", says: "one-stays"}},
	{name: "m7c", file: "web", sentence: "it is rolled out to another node before the drain", edits: budgeted,
		script:  onNode + "kubectl cordon $node\n" + restarted + drain,
		cluster: &onCluster{exit: "0", may: "RC3006"}},
}

// Shell for the Rollout of m9.yaml.
const (
	stable  = "kubectl wait rollouts.argoproj.io/web --for='jsonpath={.status.availableReplicas}=4' --timeout=3m"
	version = `{"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": {"name": "ROLLCALL_VERSION", "value": "v2"}}`
	status  = `{"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": {"name": "ROLLCALL_STATUS", "value": "500"}}`
	canary  = "kubectl patch rollouts.argoproj.io web --type=json -p '["
	abort   = `]'
			sleep 20
			kubectl patch rollouts.argoproj.io web --subresource=status --type=merge -p '{"status":{"abort":true}}'
			sleep 20`
)

var canaryCases = []userCase{
	{name: "m9a", file: "m9", sentence: "a canary that answers 500 is aborted", before: installArgoRollouts, first: stable,
		script: canary + version + ", " + status + abort, cluster: &onCluster{exit: "1", causes: "status/not-able/rollout/app",
			advice: aborted + " RC3024", says: "taken back"}},
	{name: "m9b", file: "m9", sentence: "one that answers is aborted", before: installArgoRollouts, first: stable,
		script: canary + version + abort, cluster: &onCluster{exit: "0", advice: aborted, may: "RC3006", says: "taken back"}},
	{name: "m9b-undrained", file: "m9", sentence: "its pod exits at once", before: installArgoRollouts, first: stable,
		// The delay has some requests in flight.
		edits:   slices.Concat(undrained, []string{"env: [", "env: [{name: ROLLCALL_HANDLER_DELAY, value: 500ms}, "}),
		script:  canary + version + abort,
		cluster: &onCluster{exit: "1", causes: "stale-endpoint|dropped/terminating/rollout/*", advice: aborted, may: "RC3006 RC3011 RC3016"}},
}

const (
	restartDNS = `kubectl -n kube-system rollout restart deployment/coredns
			kubectl -n kube-system rollout status deployment/coredns --timeout=2m`
	noLameduck = "grep lameduck coredns.yaml\nsed '/lameduck/d' coredns.yaml | kubectl -n kube-system replace -f -\n" + restartDNS
	isIptables = "grep 'mode: iptables' kube-proxy.yaml"
	toNftables = `sed 's/mode: iptables/mode: nftables/' kube-proxy.yaml | kubectl -n kube-system replace -f -
			kubectl -n kube-system rollout restart daemonset/kube-proxy
			kubectl -n kube-system rollout status daemonset/kube-proxy --timeout=2m`
)

// CoreDNS and kube-proxy are the cluster's, so that who runs it has to mend what their restart costs.
var systemCases = []userCase{
	{name: "m11", file: "m11", sentence: "CoreDNS ends at once, and the app looks names up", service: "{}/front", flags: []string{"--for=20s"},
		before: restores("coredns", "deployment/coredns"), first: noLameduck, script: restartDNS,
		cluster: &onCluster{exit: "1", causes: "behind/ready/dns-restarted/cluster", advice: dnsRestarted}},
	{name: "m11-lameduck", file: "m11", sentence: "CoreDNS answers on for a while", service: "{}/front", flags: []string{"--for=20s"},
		script: restartDNS, cluster: &onCluster{exit: "0"}},
	{name: "m12", file: "m12", sentence: "in nftables mode no NodePort is reached on 127.0.0.1", service: "{}/front",
		flags: []string{"--for=20s"}, mode: "iptables", before: restores("kube-proxy", "daemonset/kube-proxy"), first: isIptables,
		script: toNftables, cluster: &onCluster{exit: "1", causes: "behind/ready/proxy-restarted/cluster", advice: localNodePort,
			says: "when the load ended"}},
	{name: "m12-service", file: "m12", sentence: "the agents ask the Service", service: "{}/front",
		flags: []string{"--for=20s", "--max-outage=5s"}, mode: "iptables", before: restores("kube-proxy", "daemonset/kube-proxy"),
		edits: []string{"http://127.0.0.1:30990/", "http://back.$(NAMESPACE).svc.cluster.local./"}, first: isIptables,
		script: toNftables, cluster: &onCluster{exit: "0", may: localNodePort, never: "127.0.0.1"}}, // until the new rules are written
}

// All new pods start at once, after longer than the waiter of m13a waits.
var late = slices.Concat(startsIn("30s"), sleeps("15"),
	[]string{"  selector: {matchLabels", "  strategy: {rollingUpdate: {maxSurge: 3, maxUnavailable: 0}}\n  selector: {matchLabels"})

var waiterCases = []userCase{
	{name: "m13a", file: "web", sentence: "the waiter gives up, and the rollout goes well", edits: late,
		script: restart + "sleep 2; kubectl wait pod -l app=web --for=condition=Ready --timeout=20s",
		cluster: &onCluster{exit: "0", may: "RC3006", says: "the command failed with exit code 1",
			files: []string{"junit.xml", "exit code 1", "summary.md", "exit code 1"}}},
	{name: "m13a-status", file: "web", sentence: "kubectl rollout status waits for longer", edits: late,
		script:  restarted,
		cluster: &onCluster{exit: "0", may: "RC3006 RC3034", never: "the command failed"}},
	{name: "m13b", file: "web", sentence: "the waiter waits for what is so all along, and the recording for the rollout",
		edits: sleeps("15"), script: "kubectl set env deployment/web ROLLCALL_VERSION=v2; kubectl wait deployment/web --for=condition=Available",
		cluster: &onCluster{exit: "0", may: "RC3006 RC3034", never: "the command failed"}},
	{name: "m13b-undrained", file: "web", sentence: "what is lost after the waiter's end counts", edits: undrained,
		script:  "kubectl set env deployment/web ROLLCALL_VERSION=v2; kubectl wait deployment/web --for=condition=Available",
		cluster: &onCluster{exit: "1", causes: "stale-endpoint/terminating/rollout/manifest", advice: "RC3006", may: "RC3011 RC3016 RC3034"}},
	{name: "m13c", file: "web", sentence: "a pipe hides the exit code, and no report does", edits: undrained,
		script: restarted, pipe: `"$@" | tee log`,
		cluster: &onCluster{exit: "0", causes: "stale-endpoint/terminating/rollout/manifest", advice: "RC3006", may: "RC3016",
			files: []string{"junit.xml", "<failure"}}},
	{name: "m13c-pipefail", file: "web", sentence: "with pipefail the job is red", edits: undrained,
		script: restarted, pipe: `set -o pipefail; "$@" | tee log`,
		cluster: &onCluster{exit: "1", causes: "stale-endpoint/terminating/rollout/manifest", advice: "RC3006", may: "RC3011 RC3016 RC3034"}},
}

// release changes the version in the manifest of gitops.yaml, and ends before the controller has looked, which it does each 5 s.
const release = "kubectl get configmap releases -o json | sed 's/value: v1/value: v2/' | kubectl replace -f -"

// The controller rolls out after the command has ended: --for says how long to wait for that.
var gitopsCases = []userCase{
	{name: "gitops", file: "gitops", sentence: "a controller rolls out what was written to a ConfigMap", flags: []string{"--for=30s"},
		script: release, cluster: &onCluster{exit: "0", may: "RC3006 RC3034", never: "the command failed"}},
	{name: "gitops-undrained", file: "gitops", sentence: "it does, and the pods exit at once", flags: []string{"--for=30s"},
		edits: []string{"lifecycle: " + hook, "", "value: drain", "value: exit", "value: 2s", "value: 0s"}, script: release,
		cluster: &onCluster{exit: "1", causes: "stale-endpoint/terminating/rollout/manifest", advice: "RC3006", may: "RC3011 RC3016 RC3034"}},
}

// Each case has manifests as an API server takes them, and shell that a shell takes.
func TestCasesOfDuring(t *testing.T) {
	for _, c := range duringCases {
		t.Run(c.name, func(t *testing.T) {
			file, next := c.manifests(t, t.TempDir())
			for _, manifests := range []string{file, next} {
				if manifests == "" {
					continue
				}
				if _, err := manifest.Read(manifest.Sources{Files: []string{manifests}}); err != nil {
					t.Error(err)
				}
			}
			for _, script := range []string{c.script, c.first} {
				if out, err := exec.Command("sh", "-n", "-c", script).CombinedOutput(); err != nil {
					t.Errorf("%v: %s%s", err, out, script)
				}
			}
		})
	}
}
