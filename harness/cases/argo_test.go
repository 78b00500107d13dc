package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Argo Rollouts, whose controller is compiled for the cases that need it.
const (
	argoModule     = "github.com/argoproj/argo-rollouts"
	argoVersion    = "v1.8.3"
	argoController = "rollouts-controller"
)

// installArgoRollouts runs Argo Rollouts on the cluster until the test ends. It skips the test unless the controller is beside rollcall.
func installArgoRollouts(t *testing.T, f folder) {
	t.Helper()
	program := filepath.Join(f.programs, argoController)
	if _, err := os.Stat(program); err != nil {
		module := argoModule + "@" + argoVersion // whose replace directives go install refuses
		t.Skipf(`it needs %s, which takes 10 minutes to compile: go mod download %s && CGO_ENABLED=0 go build -C "$(go env GOMODCACHE)/%[2]s" `+
			`-o %[1]s ./cmd/%[3]s`, program, module, argoController)
	}
	manifest, err := filepath.Abs("testdata/argo-rollouts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kinds := filepath.Join(moduleFolder(t, f), "manifests", "crds", "*-crd.yaml")
	t.Cleanup(func() {
		f.sh(t, fmt.Sprintf("kubectl -n argo-rollouts delete --ignore-not-found -f - <%s\n"+
			"for kinds in %s; do kubectl delete --ignore-not-found -f - <$kinds; done", manifest, kinds))
	})
	image := "rollcall.local/argo-rollouts:" + argoVersion
	f.sh(t, fmt.Sprintf(`tar -C %s -c %s | docker import --change 'ENTRYPOINT ["/%[2]s"]' - %s`, f.programs, argoController, image))
	f.give(t, image)
	f.sh(t, fmt.Sprintf(`for kinds in %s; do kubectl apply --server-side -f - <$kinds; done
		kubectl -n argo-rollouts apply -f - <%s
		kubectl -n argo-rollouts rollout status deployment/argo-rollouts --timeout=2m`, kinds, manifest))
}

// moduleFolder returns the folder with the sources of Argo Rollouts, which the go command has since the controller was compiled.
func moduleFolder(t *testing.T, f folder) string {
	t.Helper()
	out, err := f.command(t.Context(), "go", "mod", "download", "-json", argoModule+"@"+argoVersion).Output()
	var module struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(out, &module)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return module.Dir
}
