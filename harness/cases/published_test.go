package cases

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/rollcall/commands"
	"example.com/rollcall/harness/testenv"
)

// A published is an install file or a kustomization that a Go module carries.
type published struct {
	module, path string   // path is that of the manifests; a folder is a kustomization
	asks         string   // what try wants to be said first; empty: nothing
	flags        []string // that say it
	says         []string // texts of the plan
}

var (
	rollouts    = "github.com/argoproj/argo-rollouts@v1.8.3"
	argoCD2     = "github.com/argoproj/argo-cd/v2@v2.14.11"
	argoCD3     = "github.com/argoproj/argo-cd/v3@v3.3.0"
	metrics     = "sigs.k8s.io/metrics-server@v0.9.0"
	state       = "k8s.io/kube-state-metrics/v2@v2.19.1"
	eight       = "manifests: 8 Services lead to pods of theirs: "
	headless    = "Service kube-state-metrics: it is headless"
	forClients  = []string{"--filename=testdata/ksm.yaml"}
	argoServer  = []string{"--service=argocd-server:http/healthz"}
	boundToArgo = "which are in default: --namespace=argocd\n"
)

var publishedFiles = []published{
	{module: rollouts, path: "manifests/install.yaml",
		says: []string{
			"bindings:  ClusterRoleBinding argo-rollouts: for ServiceAccounts of argo-rollouts, which are in default: --namespace=argo-rollouts\n"}},
	{module: rollouts, path: "manifests/namespace-install.yaml"},
	{module: rollouts, path: "manifests/dashboard-install.yaml"},
	{module: argoCD2, path: "manifests/install.yaml", asks: eight, flags: argoServer, says: []string{boundToArgo}},
	{module: argoCD2, path: "manifests/ha/install.yaml", asks: eight, flags: argoServer, says: []string{boundToArgo}},
	{module: argoCD2, path: "manifests/core-install.yaml", asks: "manifests: 4 Services lead to pods of theirs: ",
		flags: []string{"--service=argocd-repo-server:metrics/healthz", "--namespace=argocd"},
		says:  []string{"in namespace argocd, 1 replica\n"}},
	{module: argoCD3, path: "manifests/install.yaml", asks: eight, flags: argoServer,
		says: []string{"workload:  Deployment argocd-server in namespace default, 1 replica\n",
			"and 2 more: for ServiceAccounts of argocd, " + boundToArgo,
			"missing:   Deployment argocd-server refers to Secret argocd-redis, which no manifest has"}},
	{module: metrics, path: "manifests/base", says: []string{"requests:  GET /readyz, over TLS, as the readiness probe"}},
	{module: metrics, path: "manifests/overlays/release-ha", says: []string{"in namespace kube-system, 2 replicas\n"}},
	{module: state, path: "examples/standard", asks: headless, flags: forClients,
		says: []string{"Service:   metrics port 8080, which leads to port 8080 of the pods"}},
	{module: state, path: "examples/autosharding", asks: headless, flags: forClients,
		says: []string{"workload:  StatefulSet kube-state-metrics in namespace kube-system, 2 replicas\n"}},
}

// TestPublished has check and try --dry-run read install files as their projects publish them. `make published` runs it.
func TestPublished(t *testing.T) {
	testenv.Need(t, testenv.Published)
	for _, p := range publishedFiles {
		t.Run(p.module+"/"+p.path, func(t *testing.T) {
			sources := "--filename=" + filepath.Join(downloaded(t, p.module), p.path)
			if filepath.Ext(p.path) == "" {
				sources = strings.Replace(sources, "filename", "kustomize", 1)
			}
			if code, said := executed(t, "check", sources); code != 0 && code != 1 {
				t.Errorf("check: exit code %d\n%s", code, said)
			}
			if code, said := executed(t, "try", "--dry-run", sources); p.asks != "" && (code != 2 || !strings.HasPrefix(said, "Error: "+p.asks) ||
				strings.Count(said, "\n") != 1) {
				t.Errorf("try: exit code %d, want 2 and %s\n%s", code, p.asks, said)
			}
			code, said := executed(t, append([]string{"try", "--dry-run", sources}, p.flags...)...)
			if code != 0 {
				t.Errorf("try %v: exit code %d\n%s", p.flags, code, said)
			}
			for _, text := range p.says {
				if !strings.Contains(said, text) {
					t.Errorf("try %v does not say %q:\n%s", p.flags, text, said)
				}
			}
		})
	}
}

// executed returns the exit code of a command, and all that it prints.
func executed(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	var out bytes.Buffer
	began := time.Now()
	code = commands.Execute(args, &out, &out)
	t.Logf("%s: exit code %d in %.1f s", args[0], code, time.Since(began).Seconds())
	return code, out.String()
}

// downloaded returns the folder of a module, MODULE@VERSION, which is downloaded if it is not there.
func downloaded(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var is struct{ Dir, Error string }
	if unread := json.Unmarshal(out, &is); unread != nil || is.Dir == "" {
		t.Fatalf("%v %v %s", err, unread, is.Error)
	}
	return is.Dir
}
