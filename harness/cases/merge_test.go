package cases

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Pull requests to a repository of three apps, which change one of them: what each merge costs, and every rollout after it.
var mergeCases = []userCase{
	{name: "pr-hook-removed", file: "web", sentence: "the merge ends pods that still have the hook, and no rollout after it does",
		service: "web/",
		merged:  true, next: undrained, cluster: &onCluster{exit: "1", advice: "RC3006", may: "RC3011 RC3016 RC3034",
			says: "this merge loses 0 of"}},
	{name: "pr-mends", file: "web", sentence: "the merge ends pods without the hook for the last time", service: "web/",
		merged: true, edits: undrained, next: []string{}, cluster: &onCluster{exit: "0", advice: "RC3006", may: "RC3016",
			says: "for the last time, by pods of HEAD"}},
	{name: "pr-selector", file: "web", sentence: "the merge leaves old pods out at once", service: "web/", merged: true,
		edits: tracked, next: slices.Concat(tracked, []string{`track: "1"`, `track: "2"`}),
		cluster: &onCluster{exit: "1", advice: serviceChanged, may: "RC3006", says: "more than a restart of HEAD"}},
	{name: "pr-all-away", file: "web", sentence: "the merge and each rollout after it take all pods away at once", service: "web/",
		merged: true,
		edits:  startsIn("8s"), next: slices.Concat(startsIn("8100ms"), []string{"  selector: {matchLabels",
			"  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 100%}}\n  selector: {matchLabels"}),
		cluster: &onCluster{exit: "1", advice: "RC3002", may: "RC3006 RC3007 RC3016 RC3033 RC3034", says: "more than a restart of HEAD"}},
	{name: "pr-probe", file: "web", sentence: "pods of the merge are never ready, since their probe asks where nobody listens",
		service: "web/", merged: true,
		edits: []string{"replicas: 3", "replicas: 3\n  progressDeadlineSeconds: 30"},
		next: []string{"replicas: 3", "replicas: 3\n  progressDeadlineSeconds: 30", "{path: /ready, port: http}",
			"{path: /ready, port: 9999}"},
		cluster: &onCluster{exit: "1", may: "RC3006 RC3013", says: "the merge did not come to its end"}},
}

// pullRequest makes a git repository of three apps from the manifest of one, and replaces that by its next version. It returns the folder
// of all manifests.
func pullRequest(t *testing.T, folder, file, next string) (manifests string) {
	t.Helper()
	manifests = filepath.Join(folder, "k8s")
	if err := os.Mkdir(manifests, 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, app := range []string{"web", "api", "shop"} {
		named := strings.NewReplacer("name: web,", "name: "+app+",", "name: web\n", "name: "+app+"\n", "app: web", "app: "+app)
		said := named.Replace(string(text))
		if err := os.WriteFile(filepath.Join(manifests, app+".yaml"), []byte(said), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed(t, folder, filepath.Join(manifests, "web.yaml"), next)
	return manifests
}

// committed makes a folder a git repository of all manifests in the folder of a file, and replaces the file by its next version.
func committed(t *testing.T, folder, file, next string) {
	t.Helper()
	for _, args := range [][]string{{"init", "--quiet"}, {"add", filepath.Dir(file)},
		{"-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message=apps"}} {
		if out, err := exec.Command("git", append([]string{"-C", folder}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	if err := os.Rename(next, file); err != nil {
		t.Fatal(err)
	}
}
