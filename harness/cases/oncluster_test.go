package cases

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/testenv"
)

// TestCasesOnACluster does what each case is about, on a cluster of each mode that MODES names, which is kept. `make cases` runs it.
func TestCasesOnACluster(t *testing.T) {
	onClusters(t, func(t *testing.T, s *site) {
		for _, c := range slices.Concat(tryCases, serverCases, manifestCases, duringCases, mergeCases) {
			if c.cluster != nil && (c.mode == "" || c.mode == s.mode) {
				t.Run(c.name, func(t *testing.T) { c.run(t, s) })
			}
		}
	})
}

// onClusters runs a test on a cluster of each mode that MODES names, iptables by default.
func onClusters(t *testing.T, test func(*testing.T, *site)) {
	t.Helper()
	testenv.Need(t, testenv.Cases)
	root, err := layout.Find()
	if err != nil {
		t.Fatal(err)
	}
	modes := []string{"iptables"}
	if text := os.Getenv("MODES"); text != "" {
		if modes, err = dataplane.Parse(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			test(t, &site{programs: filepath.Join(root.Module, "out", "bin"), mode: mode})
		})
	}
}

// run does what the case is about, and compares what that shows.
func (c userCase) run(t *testing.T, s *site) {
	f := s.folder(t, c.name)
	file, next := c.manifests(t, f.path)
	if c.server != nil {
		c.server.load(t, f)
	}
	if c.merged {
		file, next = pullRequest(t, f.path, file, next), ""
	}
	args := append([]string{"try", "--keep", "--modes=" + s.mode}, c.args(file, next)...)
	if c.merged {
		args = append(args, "--base=HEAD")
	}
	switch {
	case c.script != "":
		c.prepare(t, f)
		args = slices.Concat([]string{"during", "--keep", "--modes=" + s.mode, "--settle=" + cmp.Or(c.settle, "10s"),
			"--service=" + strings.ReplaceAll(cmp.Or(c.service, "{}/web"), "{}", f.namespace)}, c.flags, []string{"--", "sh", "-c", c.script})
	case c.before != nil:
		c.before(t, f)
	}
	cmd := f.command(t.Context(), "rollcall", args...)
	if c.pipe != "" {
		cmd = f.command(t.Context(), "bash", slices.Concat([]string{"-c", c.pipe, "bash", "rollcall"}, args)...)
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	got := read(t, string(out))
	got.exit = cmd.ProcessState.ExitCode()
	if faults := c.cluster.faults(got); len(faults) > 0 {
		t.Errorf("%s:\n%s\n%s", c.sentence, strings.Join(faults, "\n"), got)
	}
}

// prepare has the app of the case run, in a namespace of its own, until the test ends.
func (c userCase) prepare(t *testing.T, f folder) {
	f.open(t)
	if c.server != nil {
		f.give(t, c.server.image())
	}
	remove := "kubectl delete namespace --ignore-not-found " + c.name
	f.sh(t, remove) // that of a test that was killed
	t.Cleanup(func() { f.sh(t, remove) })
	f.sh(t, "kubectl create namespace "+c.name)
	if c.before != nil {
		c.before(t, f)
	}
	f.sh(t, "kubectl apply -f - <app.yaml\n"+
		"for d in $(kubectl get deployments -o name); do kubectl rollout status $d --timeout=2m; done\n"+c.first)
}
