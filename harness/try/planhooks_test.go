package try

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dryRun returns the lines of a plan that begin with one of these words.
func dryRun(t *testing.T, words []string, args ...string) (lines []string) {
	t.Helper()
	o, flags := Options{}, flag.NewFlagSet("", flag.ContinueOnError)
	o.List().Register(flags)
	if err := flags.Parse(append([]string{"--dry-run"}, args...)); err != nil {
		t.Fatal(err)
	}
	said, err := printed(t, o)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(said) {
		for _, word := range words {
			if strings.HasPrefix(line, word) {
				lines = append(lines, strings.TrimSuffix(line, "\n"))
			}
		}
	}
	return lines
}

// A plan says which hooks run when, and which do not.
func TestThePlanOfHooks(t *testing.T) {
	const shop = "../manifest/testdata/shop"
	argo := written(t, both+"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: smoke, annotations: {argocd.argoproj.io/hook: PostSync}}\n"+
		"spec: {template: {spec: {restartPolicy: Never, containers: [{name: m, image: m}]}}}\n---\napiVersion: v1\nkind: ConfigMap\n"+
		"metadata: {name: not, annotations: {argocd.argoproj.io/hook: Skip}}\n---\napiVersion: v1\nkind: ConfigMap\n"+
		"metadata: {name: later, annotations: {helm.sh/hook: post-upgrade}}\n")
	installed := []string{"hooks:     before the app is created: ServiceAccount shop-migrate, Job shop-migrate",
		"hooks:     once it is created: Job shop-seed"}
	idle := []string{"left out:  1 hook of deletions: Job shop-clean", "left out:  1 hook of tests: Pod shop-test"}
	for _, row := range []struct {
		sentence string
		args     []string
		want     []string
	}{
		{"of a chart that restarts", []string{"--chart=" + shop}, slices.Concat(installed, idle)},
		{"of a chart whose next version is applied", []string{"--chart=" + shop, "--to=" + shop}, slices.Concat(installed,
			[]string{"hooks:     before the change is applied: ServiceAccount shop-migrate, Job shop-migrate"}, idle)},
		{"of Argo CD", []string{"--filename=" + argo}, []string{"hooks:     once it is ready: Job smoke",
			"left out:  1 hook of Argo CD that it skips: ConfigMap not", "left out:  1 hook of upgrades: ConfigMap later"}},
		{"of none", []string{"--filename=" + written(t, both)}, nil},
	} {
		if diff := cmp.Diff(row.want, dryRun(t, []string{"hooks:", "left out:"}, row.args...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}

// A merge of a chart: the base's release is installed, and the pull request's is its upgrade.
func TestThePlanOfAChartsMerge(t *testing.T) {
	folder := t.TempDir()
	shop := filepath.Join(folder, "shop")
	if err := os.CopyFS(shop, os.DirFS("../manifest/testdata/shop")); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		all := append([]string{"-C", folder, "-c", "user.name=test", "-c", "user.email=test@example.com"}, args...)
		if out, err := exec.CommandContext(t.Context(), "git", all...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	edit := func(name, from, to string) {
		text, err := os.ReadFile(filepath.Join(shop, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(shop, name), []byte(strings.Replace(string(text), from, to, 1)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message=chart")
	edit("values.yaml", "hookSeconds: 5", "hookSeconds: 0")
	edit("templates/seed.yaml", "helm.sh/hook: post-install", "helm.sh/hook: post-install,post-upgrade")
	edit("templates/service.yaml", "targetPort: http", "targetPort: 9090")
	want := []string{
		"shutdown:  preStop sleep of 5 s, grace period 30 s",
		"rollout:   Deployment shop restarts as it is in HEAD",
		"then:      Deployment shop of HEAD gets the manifests of the working tree",
		"then:      Deployment shop restarts as it is merged",
		"Service:   changes with the rollout: targetPort http to 9090, also for pods of the old version",
		"hooks:     before the app is created: ServiceAccount shop-migrate, Job shop-migrate",
		"hooks:     once it is created: Job shop-seed",
		"hooks:     before the change is applied: ServiceAccount shop-migrate, Job shop-migrate",
		"hooks:     once it is applied: Job shop-seed",
	}
	got := dryRun(t, []string{"shutdown:", "rollout:", "then:", "Service:   changes", "hooks:"}, "--chart="+shop, "--base=HEAD")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
