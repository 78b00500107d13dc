package cases

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A folder is where a case runs. Its search path has rollcall, and a kubectl for the namespace of the case.
type folder struct {
	*site
	path, namespace string
	bin             string // of kubectl
}

// folder makes a folder. Its kubectl is that of the control plane's node, since this host may have none.
func (s *site) folder(t *testing.T, namespace string) folder {
	t.Helper()
	f := folder{site: s, path: t.TempDir(), namespace: namespace, bin: t.TempDir()}
	kubectl := fmt.Sprintf("#!/bin/sh\nexec docker exec -i rollcall-%s-control-plane kubectl --kubeconfig=/etc/kubernetes/admin.conf "+
		"--namespace=%s \"$@\"\n", s.mode, namespace)
	if err := os.WriteFile(filepath.Join(f.bin, "kubectl"), []byte(kubectl), 0o755); err != nil {
		t.Fatal(err)
	}
	return f
}

// write writes a file of the folder.
func (f folder) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(f.path, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// command returns a program, found in the search path of the folder, that runs there.
func (f folder) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	search := strings.Join([]string{f.bin, f.programs, os.Getenv("PATH")}, string(filepath.ListSeparator))
	cmd := exec.CommandContext(ctx, "env", slices.Concat([]string{"PATH=" + search, name}, args)...)
	cmd.Dir = f.path
	return cmd
}

// sh runs a script, also once the test has ended, and fails the test where a command fails.
func (f folder) sh(t *testing.T, script string) {
	t.Helper()
	if out, err := f.command(context.WithoutCancel(t.Context()), "sh", "-ec", script).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, script, out)
	}
}

// give gives the nodes of the cluster an image that this host's Docker has.
func (f folder) give(t *testing.T, image string) {
	t.Helper()
	f.sh(t, fmt.Sprintf(`for node in $(kubectl get nodes -o 'jsonpath={.items[*].metadata.name}'); do
			docker save %s | docker exec -i $node ctr --namespace=k8s.io images import -
		done`, image))
}

// restores returns a function that writes a ConfigMap of kube-system into the folder, as NAME.yaml, and once the test has ended has the
// cluster as it was: with the ConfigMap, and a workload that has read it.
func restores(configMap, workload string) func(*testing.T, folder) {
	return func(t *testing.T, f folder) {
		t.Helper()
		f.sh(t, fmt.Sprintf("kubectl -n kube-system get configmap %s -o yaml | sed /resourceVersion:/d >%[1]s.yaml", configMap))
		t.Cleanup(func() {
			f.sh(t, fmt.Sprintf("kubectl -n kube-system replace -f - <%s.yaml\nkubectl -n kube-system rollout restart %s\n"+
				"kubectl -n kube-system rollout status %[2]s --timeout=2m", configMap, workload))
		})
	}
}
