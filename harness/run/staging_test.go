package run

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster/attached"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/testenv"
)

// TestStaging uses a kind cluster like one that somebody else owns: with the shipped roles alone, and with images that its
// nodes pull from a registry with a self-signed certificate. After each part everything else in the cluster is as
// before. `make staging` runs it.
func TestStaging(t *testing.T) {
	testenv.Need(t, testenv.Staging)
	onClusters(t, "staging", func(ctx context.Context, t *testing.T, m *ModeRun) {
		c := m.cluster
		if err := namespace.WaitGone(ctx, c.Client(), fixtures.Ours()); err != nil { // the one of the cluster's trial
			t.Fatal(err)
		}
		g := guest{T: t, ctx: ctx, Cluster: c}
		g.repo, g.ca = g.registry()
		t.Run("run", func(t *testing.T) { g.in(t).runs("node-rules", "--allow="+harness.NodeRules) })
		t.Run("unobserved", func(t *testing.T) { g.in(t).runs("base") })
		t.Run("refused", func(t *testing.T) { g.in(t).isRefused() })
		t.Run("outside", func(t *testing.T) { g.in(t).isReachedFromOutside() })
		t.Run("secret", func(t *testing.T) { g.in(t).pullsWithASecret() })
		t.Run("rights", func(t *testing.T) { g.in(t).hasFewerRights() })
		t.Run("killed", func(t *testing.T) { g.in(t).isKilled() })
		t.Run("nightly", func(t *testing.T) { g.in(t).comesEveryNight() })
	})
}

// unchanged returns a function that fails the test if the cluster has other objects by then than now.
func (g guest) unchanged() func() {
	before := g.listing()
	return func() {
		g.Helper()
		if diff := cmp.Diff(before, g.listing()); diff != "" {
			g.Errorf("the cluster is not what it was (-before +after):\n%s", diff)
		}
	}
}

// runs runs the suites and scenarios that SUITES and SCENARIOS, a pattern, select, with the rights of a kustomization of
// fixtures/staging and some more options.
func (g guest) runs(granted string, options ...string) {
	g.granted(granted)
	defer g.unchanged()()
	code, _ := g.conformance(append([]string{"run", "--context=staging", "--kubeconfig=" + g.account(""), "--namespace=rollcall",
		"--image-repo=" + g.repo, "--registry-ca=" + g.ca, "--outside-url=" + os.Getenv("OUTSIDE_URL"),
		"--suites=" + os.Getenv("SUITES"), "--run=" + os.Getenv("SCENARIOS")}, options...)...).end()
	if code != 0 {
		g.Errorf("exit code %d", code)
	}
}

// isRefused gives it bad input: it ends within about a minute with an error of one line, and leaves nothing.
func (g guest) isRefused() {
	g.granted("base")
	given := func(args ...string) []string {
		return append([]string{"run", "--context=staging", "--namespace=rollcall", "--kubeconfig=" + g.account("")}, args...)
	}
	none := "nowhere.invalid/none@sha256:" + strings.Repeat("0", 64)
	nothing := func() {}
	made := func(manifest string) func() func() {
		return func() func() {
			g.kubectlWith(manifest, "apply", "--filename=-")
			return func() { g.kubectlWith(manifest, "delete", "--filename=-") }
		}
	}
	for _, row := range []struct {
		sentence string
		given    func() func() // returns what undoes it; nil: nothing
		args     []string
		says     string
	}{
		{"images that nobody has", nil, given("--images=echo:v1=" + none + ",echo:v2=" + none + ",agent:dev=" + none),
			"trial: node " + g.Name() + "-worker"},
		{"a repository that is not there", nil, given("--image-repo=127.0.0.1:1/none"), "--image-repo=127.0.0.1:1/none: "},
		{"no namespace, and no right to make one", nil, []string{"run", "--context=staging", "--kubeconfig=" + g.account("")},
			"or name namespaces that were made for you: --namespace=NAME"},
		{"a namespace of somebody else", nil, []string{"run", "--context=staging", "--namespace=default", "--kubeconfig=" + g.account("")},
			"context staging: missing permission to "},
		{"credentials that are over", nil, []string{"run", "--context=staging", "--namespace=rollcall", "--kubeconfig=" + g.account("over")},
			"the credentials are not accepted, or have expired"},
		{"a quota that is too small",
			made("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: small, namespace: rollcall}\nspec: {hard: {pods: 3}}"),
			given("--image-repo="+g.repo, "--registry-ca="+g.ca), "namespace rollcall: quota small leaves 3 of pods"},
		{"limits that forbid our containers",
			made("apiVersion: v1\nkind: LimitRange\nmetadata: {name: low, namespace: rollcall}\n" +
				"spec: {limits: [{type: Container, max: {memory: 64Mi}}]}"),
			given("--image-repo="+g.repo, "--registry-ca="+g.ca), "maximum memory usage per Container is 64Mi, but limit is 128Mi: "},
		{"a namespace that is not empty",
			made("apiVersion: v1\nkind: Pod\nmetadata: {name: theirs, namespace: rollcall}\n" +
				"spec: {securityContext: {runAsNonRoot: true, runAsUser: 1, seccompProfile: {type: RuntimeDefault}}, " +
				"containers: [{name: a, image: a, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}]}"),
			given("--image-repo="+g.repo, "--registry-ca="+g.ca), "namespace rollcall was not empty: pod theirs is there"},
		{"a URL that leads nowhere", nil, given("--image-repo="+g.repo, "--registry-ca="+g.ca, "--outside-url=http://127.0.0.1:1/"),
			"--outside-url=http://127.0.0.1:1/: "},
	} {
		g.Run(row.sentence, func(t *testing.T) {
			g := g.in(t)
			undo := nothing
			if row.given != nil {
				undo = row.given()
			}
			defer undo()
			defer g.unchanged()()
			began := time.Now()
			code, said := g.conformance(row.args...).end()
			lines := strings.Split(strings.TrimSpace(said), "\n")
			if last := lines[len(lines)-1]; code != 2 || !strings.Contains(last, row.says) {
				t.Errorf("exit code %d, %q", code, last)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// isReachedFromOutside sends the outside lane's requests through a reverse proxy on a node, as through an Ingress, and then leaves
// the lane out.
func (g guest) isReachedFromOutside() {
	g.granted("base")
	worker := g.Name() + "-worker"
	names := g.kubectl("--namespace=kube-system", "get", "service", "kube-dns", "--output=jsonpath={.spec.clusterIP}")
	g.run("docker cp %s %s:/ingress", g.built("ingress"), worker)
	g.run("docker exec --detach %s /ingress :8081 %s:53 http://echo.rollcall.svc.cluster.local.", worker, names)
	for _, url := range []string{"http://" + g.address(worker) + ":8081/", attached.NoOutside} {
		g.Run(url, func(t *testing.T) {
			g := g.in(t)
			defer g.unchanged()()
			code, _ := g.conformance("run", "--context=staging", "--namespace=rollcall", "--kubeconfig="+g.account(""), "--image-repo="+g.repo,
				"--registry-ca="+g.ca,
				"--suites=rollout", "--run=^drained-rolling-update$", "--outside-url="+url).end()
			if code != 0 {
				t.Errorf("exit code %d", code)
			}
			run := g.latest("rollout", "drained-rolling-update")
			asked := attached.NoOutside
			for _, lane := range run.Lanes {
				if lane.Vantage == evidence.FromHost {
					asked = lane.Target
				}
			}
			if len(run.Lanes) == 0 || asked != url {
				t.Errorf("of %d lanes the one from outside asked %s", len(run.Lanes), asked)
			}
		})
	}
}

// pullsWithASecret has the nodes pull private images.
func (g guest) pullsWithASecret() {
	g.granted("base")
	host, _, _ := strings.Cut(g.repo, "/")
	config := g.TempDir()
	credentials := base64.StdEncoding.EncodeToString([]byte(registryUser + ":" + registryPassword))
	if err := os.WriteFile(filepath.Join(config, "config.json"), fmt.Appendf(nil, `{"auths": {%q: {"auth": %q}}}`, host, credentials),
		0o600); err != nil {
		g.Fatal(err)
	}
	g.Setenv("DOCKER_CONFIG", config) // for the push
	args := []string{"run", "--context=staging", "--namespace=rollcall", "--kubeconfig=" + g.account(""),
		"--image-repo=" + host + "/private/rollcall", "--registry-ca=" + g.ca,
		"--suites=rollout", "--run=^defaults$"}
	defer g.unchanged()()
	if code, said := g.conformance(args...).end(); code != 2 || !strings.Contains(said, "trial: node "+g.Name()+"-worker") {
		g.Errorf("without a secret: exit code %d", code)
	}
	if code, _ := g.conformance(append(args, "--pull-secret="+filepath.Join(config, "config.json"))...).end(); code != 0 {
		g.Errorf("with a secret: exit code %d", code)
	}
}

// hasFewerRights removes each rule of each role, one at a time: the output names the missing right, and the scenarios that are
// skipped for it, or no scenario can run.
func (g guest) hasFewerRights() {
	g.granted("node-rules")
	config := g.account("")
	for _, role := range []struct{ kind, namespace string }{{"role", "rollcall"}, {"role", "rollcall-rules"}, {"clusterrole", ""}} {
		var is struct{ Rules []map[string][]string }
		get := []string{"get", role.kind, "rollcall", "--output=json"}
		patch := []string{"patch", role.kind, "rollcall", "--type=merge", "--patch"}
		if role.namespace != "" {
			get, patch = append(get, "--namespace="+role.namespace), append([]string{"--namespace=" + role.namespace}, patch...)
		}
		if err := json.Unmarshal([]byte(g.kubectl(get...)), &is); err != nil {
			g.Fatal(err)
		}
		with := func(rules []map[string][]string) {
			text, err := json.Marshal(map[string]any{"rules": rules})
			if err != nil {
				g.Fatal(err)
			}
			g.kubectl(append(patch, string(text))...)
		}
		for i, rule := range is.Rules {
			g.Run(fmt.Sprintf("%s %s without %s", role.kind, role.namespace, strings.Join(rule["resources"], ",")), func(t *testing.T) {
				g := g.in(t)
				with(append(append([]map[string][]string{}, is.Rules[:i]...), is.Rules[i+1:]...))
				defer with(is.Rules)
				code, said := g.conformance("run", "--context=staging", "--namespace=rollcall", "--allow="+harness.NodeRules, "--kubeconfig="+config,
					"--dry-run",
					"--suites=autoscale,rollout,statusgap").end()
				resource, _, _ := strings.Cut(rule["resources"][0], "/")
				lines := strings.Split(strings.TrimSpace(said), "\n")
				names := func(line string) bool { // the missing right, and not something else of that name
					_, missing, _ := strings.Cut(line, "missing permission to ")
					return strings.Contains(missing, resource) || strings.Contains(line, resource+" is forbidden")
				}
				switch {
				case resource == "limitranges": // pods show it
					if code != 0 {
						t.Errorf("exit code %d", code)
					}
				case code == 2 && slices.ContainsFunc(lines[len(lines)-1:], names), code == 0 && slices.ContainsFunc(lines, names):
				default:
					t.Errorf("exit code %d, and nothing about %s", code, resource)
				}
			})
		}
	}
}

// isKilled kills runs in the middle of a rollout. The next run, or a clean-up, deletes what they left and nothing else.
func (g guest) isKilled() {
	const short = "--run=^defaults$"
	for _, row := range []struct {
		sentence  string
		grant     string
		namespace string
		signal    syscall.Signal
		lost      bool     // the connection is cut before, until the run has ended
		then      []string // command that deletes the rest; nil: nothing is left
	}{
		{"Ctrl-C, in a namespace that was given", "base", "rollcall", syscall.SIGINT, false, nil},
		{"Ctrl-C, in namespaces of our own", "generated", "", syscall.SIGINT, false, nil},
		{"kill -9 and the next run, in a namespace that was given", "base", "rollcall", syscall.SIGKILL, false,
			[]string{"run", "--suites=rollout", short}},
		{"kill -9 and the next run, in namespaces of our own", "generated", "", syscall.SIGKILL, false,
			[]string{"run", "--suites=rollout", short}},
		{"a lost connection and the next run, in namespaces of our own", "generated", "", syscall.SIGINT, true,
			[]string{"run", "--suites=rollout", short}},
		{"kill -9 and a clean-up, in a namespace that was given", "base", "rollcall", syscall.SIGKILL, false, []string{"clean"}},
		{"kill -9 and a clean-up, in namespaces of our own", "generated", "", syscall.SIGKILL, false, []string{"clean"}},
	} {
		g.Run(row.sentence, func(t *testing.T) {
			g := g.in(t)
			g.granted(row.grant)
			target := []string{"--context=staging", "--kubeconfig=" + g.account(""), "--namespace=" + row.namespace}
			images := []string{"--image-repo=" + g.repo, "--registry-ca=" + g.ca}
			defer g.unchanged()()
			r := g.conformance(append([]string{"run", "--suites=rollout", "--run=^drained-rolling-update$"}, slices.Concat(target, images)...)...)
			r.untilSays("rolling out")
			const rule = "INPUT --in-interface eth0 --protocol tcp --dport 6443 --jump REJECT --reject-with tcp-reset"
			if row.lost {
				g.run("docker exec %s iptables --insert %s", g.administrator(), rule)
			}
			r.kill(row.signal)
			code, _ := r.end()
			if row.lost {
				g.run("docker exec %s iptables --delete %s", g.administrator(), rule)
			}
			if row.then == nil {
				if code != 3 {
					t.Errorf("exit code %d after Ctrl-C", code)
				}
				return
			}
			if row.then[0] == "run" {
				row.then = append(row.then, images...)
			}
			if code, said := g.conformance(append(row.then, target...)...).end(); code != 0 || !strings.Contains(said, "deleting") {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// comesEveryNight runs the job of fixtures/staging/nightly once, with images pushed as `make image` pushes them.
func (g guest) comesEveryNight() {
	if code, _ := g.conformance("image", "--image-repo="+g.repo, "--registry-ca="+g.ca).end(); code != 0 {
		g.Fatalf("exit code %d", code)
	}
	g.copied("fixtures/staging")
	folder := g.copied("out/nightly")
	kustomization := g.run("docker exec %s cat %s/kustomization.yaml", g.administrator(), folder)
	const images = "  - IMAGES="
	g.write(folder+"/kustomization.yaml", strings.Replace(kustomization, images, "  - SUITES=control\n"+images, 1))
	worker := g.Name() + "-worker"
	g.run("docker exec %s mkdir --mode=777 --parents /runs", worker)
	volume := `apiVersion: v1
kind: PersistentVolume
metadata: {name: runs}
spec:
  capacity: {storage: 10Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: ` + g.kubectl("get", "storageclass", "--output=jsonpath={.items[0].metadata.name}") + `
  claimRef: {namespace: rollcall-nightly, name: rollcall-runs}
  hostPath: {path: /runs}
  nodeAffinity:
    required:
      nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [` + worker + `]}]}]`
	g.kubectlWith(volume, "apply", "--filename=-")
	defer g.kubectlWith(volume, "delete", "--filename=-")
	g.kubectl("apply", "--kustomize", folder)
	defer g.kubectl("delete", "--kustomize", folder)
	defer g.unchanged()()
	inIt := func(args ...string) string {
		return g.kubectl(append([]string{"--namespace=rollcall-nightly"}, args...)...)
	}
	inIt("create", "job", "night", "--from=cronjob/rollcall")
	defer inIt("delete", "job", "night", "--cascade=foreground")
	var state string
	err := poll.Until(g.ctx, 5*time.Second, func() (bool, error) {
		state = inIt("get", "job", "night", "--output=jsonpath={.status.conditions[*].type}")
		return strings.Contains(state, "Complete") || strings.Contains(state, "Failed"), nil
	})
	g.Log(inIt("logs", "job/night"))
	if err != nil || strings.Contains(state, "Failed") {
		g.Fatalf("%s, %v", state, err)
	}
	for _, file := range []string{"history.jsonl", "latest/report.json", "latest/index.html"} {
		g.run("docker exec %s test -s /runs/%s", worker, file)
	}
}
