package commands

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/reports/advice"
	"example.com/rollcall/suites"
)

// The guide has what is certain, each with what showed it on a cluster: scenarios that there are, or cases.
func TestWhatIsCertain(t *testing.T) {
	scenarios := map[string]bool{}
	for suite, all := range suites.All() {
		for _, s := range all {
			scenarios[suite+"/"+s.ID] = true
		}
	}
	var b strings.Builder
	b.WriteString("| code | mended by | shown by | twin |\n|---|---|---|---|\n")
	for _, f := range advice.Certain() {
		for _, name := range []string{f.Shown, f.Twin} {
			if !strings.HasPrefix(name, "case ") && !scenarios[name] {
				t.Errorf("%s is shown by %q, which is no scenario and no case", f.Code, name)
			}
		}
		fmt.Fprintf(&b, "| %s %s | %s | %s | %s |\n", f.Code, f.ID, f.Do, f.Shown, f.Twin)
	}
	golden.Section(t, "../../check/README.md", "certain", b.String())
}

const webOfOne = `# rollcall: ignore RC3006 because it drains by itself
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  strategy: {type: Recreate}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: web:1
        ports: [{containerPort: 8080}]
        readinessProbe: {httpGet: {path: /, port: 8080}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
`

func TestCheck(t *testing.T) {
	const shop = "../../manifest/testdata/shop"
	file := filepath.Join(t.TempDir(), "web.yaml")
	if err := os.WriteFile(file, []byte(webOfOne), 0o600); err != nil {
		t.Fatal(err)
	}
	unexplained := filepath.Join(t.TempDir(), "web.yaml")
	if err := os.WriteFile(unexplained, []byte(strings.Replace(webOfOne, " because it drains by itself", "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	few := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(few, []byte("replicas: few\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence, golden string
		args             []string
		code             int
		says             string
	}{
		{"for a person", "check.txt", []string{"-f", file}, 1, ""},
		{"for the summary of a job", "check.md", []string{"-f", file, "-o", "markdown"}, 1, ""},
		{"for code scanning", "check.sarif", []string{"-f", file, "-o", "sarif"}, 1, ""},
		{"for a GitHub workflow", "check.github", []string{"-f", file, "-o", "github"}, 1, ""},
		{"for GitLab", "check.gitlab", []string{"-f", file, "-o", "gitlab"}, 1, ""},
		{"of a chart, at the lines of its templates", "check-chart.txt", []string{"--chart=" + shop, "--values=" + shop + "-staging.yaml"},
			1, ""},
		{"nothing fails", "", []string{"-f", file, "--fail-on=never"}, 0, ""},
		{"no manifests", "", nil, 2, "Error: rollcall check: no manifests are named: give -f FILE, -k FOLDER or --chart=DIR\n"},
		{"a file that is not there", "", []string{"-f", "none.yaml"}, 2,
			"Error: manifest none.yaml: open none.yaml: no such file or directory: "},
		{"a base without a repository", "", []string{"-f", file, "--base=main"}, 2, "Error: --base=main: " + file + " is in no git repository: "},
		{"an ignored finding without a reason", "", []string{"-f", unexplained}, 2,
			"Error: " + unexplained + ":1: it has rollcall: ignore RC3006: write # rollcall: ignore RC3003 because REASON"},
		{"a chart that its values do not fit", "", []string{"--chart=" + shop, "--values=" + few}, 2, "Error: chart " + shop +
			": values.schema.json of shop does not allow its values: at '/replicas': got string, want integer: give other values: "},
		{"values without a chart", "", []string{"-f", file, "--values=" + file}, 2, "Error: --values=" + file + ": there is no chart"},
		{"an unknown level", "", []string{"-f", file, "--fail-on=all"}, 2, "Error: --fail-on=all: "},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := Execute(append([]string{"check"}, row.args...), &out, &errs)
			if code != row.code || !strings.HasPrefix(errs.String(), row.says) || row.says == "" && errs.Len() > 0 {
				t.Errorf("exit code %d, want %d: %s", code, row.code, errs.String())
			}
			if row.says != "" && strings.Count(errs.String(), "\n") != 1 {
				t.Errorf("an error is one line:\n%s", errs.String())
			}
			if row.golden != "" {
				golden.File(t, "testdata/"+row.golden, strings.NewReplacer(filepath.Dir(file)+"/", "k8s/", filepath.Dir(shop)+"/", "").
					Replace(out.String()))
			}
		})
	}
}
