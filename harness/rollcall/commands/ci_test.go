package commands

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"
)

// An action is the part of a composite action of GitHub that is tested.
type action struct {
	Inputs  map[string]struct{ Description, Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []step
	}
}

type step struct {
	ID, If, Shell, Run, Uses string
	Env, With                map[string]string
}

func parse(t *testing.T, file string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join("..", "..", "..", "reports", "ci", file))), into); err != nil {
		t.Fatal(err)
	}
}

// shell runs a script in a folder where rollcall, rollcall-host and sudo are stand-ins, and returns what rollcall was called with, and the
// exit code. The file calls.host there has what rollcall-host was called with.
func shell(t *testing.T, dir, script string, env ...string) (calls [][]string, code int) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	for name, text := range map[string]string{
		"rollcall": `printf '%s\n' "$@" . >>"$CALLS"; mkdir -p "$ARTIFACTS/night"; ln -sfn night "$ARTIFACTS/latest"
			echo '[[ATTACHMENT|evidence/x]]' >"$ARTIFACTS/night/junit.xml"; exit "${CODE:-0}"`,
		"rollcall-host": `echo "$@" >>"$CALLS.host"`,
		"sudo":          `[ "$1" != -E ] || shift; exec "$@"`,
		"git":           `[ "$1" = rev-parse ]`,
		"gh":            `printf '%s\n' "$@" >>"$CALLS.gh"; case "$*" in *--jq*) echo "$COMMENT_ID";; esac`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	said := filepath.Join(dir, "calls")
	cmd := exec.CommandContext(t.Context(), bash, "-eo", "pipefail", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(env, "PATH="+dir+":"+os.Getenv("PATH"), "CALLS="+said, "ARTIFACTS="+filepath.Join(dir, "artifacts"))
	if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := os.Stat(said); os.IsNotExist(err) {
		return nil, cmd.ProcessState.ExitCode()
	}
	lines := strings.Split(strings.TrimSuffix(read(t, said), "\n"), "\n")
	for len(lines) > 0 {
		end := slices.Index(lines, ".")
		calls, lines = append(calls, lines[:end]), lines[end+1:]
	}
	return calls, cmd.ProcessState.ExitCode()
}

// accepted returns the options of a call, by name; the program has to know the call.
func accepted(t *testing.T, call []string) map[string]string {
	t.Helper()
	root := rootCommand()
	cmd, args, err := root.Find(call)
	if err == nil && cmd == root {
		t.Fatalf("%q calls no command", call)
	}
	if err == nil {
		err = cmd.ParseFlags(args)
	}
	if err == nil {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	if err != nil {
		t.Fatalf("rollcall %q: %v", call, err)
	}
	options := map[string]string{}
	cmd.Flags().Visit(func(f *pflag.Flag) { options[f.Name] = f.Value.String() })
	return options
}

func TestActionRunsRollcall(t *testing.T) {
	var a action
	parse(t, "action.yml", &a)
	at := slices.IndexFunc(a.Runs.Steps, func(s step) bool { return s.ID == "run" })
	input := regexp.MustCompile(`^\$\{\{ inputs\.(\S+) \}\}$`)
	for _, row := range []struct {
		sentence string
		given    map[string]string
		exits    string
		want     map[string]string
		code     int
	}{
		{"on kind clusters, when nothing is given", nil, "0", map[string]string{"profile": "core"}, 0},
		{"on kind clusters of a version, in two modes", map[string]string{"profile": "full", "modes": "iptables,nftables", "k8s": "v1.36.x"}, "0",
			map[string]string{"profile": "full", "modes": "iptables,nftables", "k8s": "v1.36.x"}, 0},
		{"on an existing cluster", map[string]string{"context": "a b", "kubeconfig": "/tmp/k", "namespace": "x,y", "suites": "rollout",
			"images": "echo:v1=r@sha256:1"}, "0", map[string]string{"profile": "core", "context": "a b", "kubeconfig": "/tmp/k",
			"namespace": "x,y", "suites": "rollout", "images": "echo:v1=r@sha256:1"}, 0},
		{"with other options", map[string]string{"options": "--rate=20 --verbose"}, "0",
			map[string]string{"profile": "core", "rate": "20", "verbose": "true"}, 0},
		{"and fails as it does", nil, "3", map[string]string{"profile": "core"}, 3},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := t.TempDir()
			outputs := filepath.Join(dir, "outputs")
			env := []string{"CODE=" + row.exits, "GITHUB_OUTPUT=" + outputs, "PROGRAM=rollcall"}
			for name, value := range a.Runs.Steps[at].Env {
				if of := input.FindStringSubmatch(value); of != nil {
					given, ok := row.given[of[1]]
					if !ok {
						given = a.Inputs[of[1]].Default
					}
					env = append(env, name+"="+given)
				}
			}
			calls, code := shell(t, dir, a.Runs.Steps[at].Run, env...)
			if len(calls) != 1 || code != row.code {
				t.Fatalf("calls %q, exit code %d", calls, code)
			}
			if diff := cmp.Diff(row.want, accepted(t, calls[0])); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
			host, _ := os.ReadFile(filepath.Join(dir, "calls.host"))
			if want := map[bool]string{false: "setup\n"}[row.given["context"] != ""]; string(host) != want {
				t.Errorf("rollcall-host is called with %q, want %q", host, want)
			}
			real, err := filepath.EvalSymlinks(dir)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := read(t, outputs), "folder="+real+"/artifacts/night\nexit-code="+row.exits+"\n"; got != want {
				t.Errorf("outputs are %q, want %q", got, want)
			}
		})
	}
}

// The steps of the action for pull requests: check, try, one comment, and what decides.
func TestPullRequestAction(t *testing.T) {
	var a action
	parse(t, "pull-request/action.yml", &a)
	run := func(t *testing.T, id string, env ...string) (dir string, calls [][]string, code int) {
		t.Helper()
		dir = t.TempDir()
		at := slices.IndexFunc(a.Runs.Steps, func(s step) bool { return s.ID == id })
		env = append(env, "GITHUB_OUTPUT="+filepath.Join(dir, "outputs"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"),
			"RESULTS="+filepath.Join(dir, "results"), "PROGRAM=rollcall", "BASE=abc")
		calls, code = shell(t, dir, a.Runs.Steps[at].Run, env...)
		return dir, calls, code
	}
	sources := map[string]string{"base": "abc", "filename": ""} // a list of texts has no value to print
	files := []string{"GIVEN_FILES=k8s/ more.yaml", "GIVEN_KUSTOMIZE="}
	t.Run("check writes what each reader takes, and keeps its exit code", func(t *testing.T) {
		dir, calls, code := run(t, "check", append(files, "CODE=0")...)
		if code != 0 || len(calls) != 3 || read(t, filepath.Join(dir, "outputs")) != "exit-code=0\n" {
			t.Fatalf("calls %q, exit code %d", calls, code)
		}
		for i, more := range []map[string]string{{"output": "sarif", "fail-on": "never"}, {"output": "markdown", "fail-on": "never"},
			{"output": "github"}} {
			want := maps.Clone(sources)
			if maps.Copy(want, more); !slices.Equal(calls[i][1:3], []string{"--filename=k8s/", "--filename=more.yaml"}) {
				t.Errorf("it reads %q", calls[i])
			}
			if diff := cmp.Diff(want, accepted(t, calls[i])); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		}
	})
	t.Run("a chart and its values stand in place of files", func(t *testing.T) {
		for _, command := range []string{"check", "try"} {
			_, calls, code := run(t, command, append(files, "CODE=0", "GIVEN_CHART=./chart", "GIVEN_VALUES=a.yaml b.yaml")...)
			want := []string{command, "--chart=./chart", "--values=a.yaml", "--values=b.yaml", "--base=abc"}
			if code != 0 || !slices.Equal(calls[0][:5], want) || accepted(t, calls[0])["chart"] != "./chart" {
				t.Errorf("calls %q, exit code %d", calls, code)
			}
		}
	})
	t.Run("bad input ends it", func(t *testing.T) {
		if _, _, code := run(t, "check", append(files, "CODE=2")...); code == 0 {
			t.Error("it goes on")
		}
	})
	t.Run("try rolls both out, and keeps its exit code", func(t *testing.T) {
		dir, calls, code := run(t, "try", append(files, "CODE=1", "GIVEN_SERVICE=web/", "GIVEN_OPTIONS=--rate=20")...)
		want := maps.Clone(sources)
		maps.Copy(want, map[string]string{"service": "web/", "rate": "20"})
		if code != 0 || len(calls) != 1 || !strings.HasSuffix(read(t, filepath.Join(dir, "outputs")), "exit-code=1\n") {
			t.Fatalf("calls %q, exit code %d", calls, code)
		}
		if diff := cmp.Diff(want, accepted(t, calls[0])); diff != "" {
			t.Errorf("options (-want +got):\n%s", diff)
		}
	})
	for _, row := range []struct{ sentence, id, want string }{
		{"a first comment", "", "comments\n--field"},
		{"a later one is the same", "42", "PATCH\ncomment/42"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			folder := t.TempDir()
			for name, text := range map[string]string{"result.txt": "this merge loses 0\n", "summary.md": "summary\n"} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			at := slices.IndexFunc(a.Runs.Steps, func(s step) bool { return s.ID == "comment" })
			dir := t.TempDir()
			_, code := shell(t, dir, a.Runs.Steps[at].Run, "COMMENTS=comments", "COMMENT=comment", "COMMENT_ID="+row.id, "RESULTS="+dir,
				"FOLDER="+folder)
			body, said := read(t, filepath.Join(dir, "comment.md")), read(t, filepath.Join(dir, "calls.gh"))
			if code != 0 || !strings.Contains(body, "this merge loses 0\n") || !strings.Contains(body, "summary") || !strings.Contains(said,
				row.want) {
				t.Errorf("exit code %d, gh is called with %s, and the comment is %s", code, said, body)
			}
		})
	}
	for _, row := range []struct {
		sentence, check, try, policy string
		code                         int
	}{
		{"nothing is certain, and nothing is lost", "0", "0", "fail", 0},
		{"something is certain", "1", "0", "fail", 1},
		{"clients lost requests", "0", "1", "warn", 1},
		{"inconclusive rollouts fail", "0", "3", "fail", 3},
		{"or warn", "0", "3", "warn", 0},
		{"they hide no finding then", "1", "3", "warn", 1},
		{"nothing was tried", "1", "", "fail", 1},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			at := slices.IndexFunc(a.Runs.Steps, func(s step) bool { return s.ID == "verdict" })
			cmd := exec.CommandContext(t.Context(), "bash", "-eo", "pipefail", "-c", a.Runs.Steps[at].Run)
			cmd.Env = []string{"CHECK=" + row.check, "TRY=" + row.try, "INCONCLUSIVE=" + row.policy}
			if err := cmd.Run(); cmd.ProcessState.ExitCode() != row.code {
				t.Errorf("exit code %d, want %d: %v", cmd.ProcessState.ExitCode(), row.code, err)
			}
		})
	}
}

// A name that a composite action uses and does not declare is an empty text there, and no error.
func TestActionUsesWhatItDeclares(t *testing.T) {
	for _, file := range []string{"action.yml", "pull-request/action.yml"} {
		t.Run(file, func(t *testing.T) { usesWhatItDeclares(t, file) })
	}
}

func usesWhatItDeclares(t *testing.T, file string) {
	t.Helper()
	var a action
	parse(t, file, &a)
	if a.Runs.Using != "composite" {
		t.Errorf("the action is of kind %q", a.Runs.Using)
	}
	var texts []string
	declared := map[string]bool{"runner.temp": true}
	for name := range a.Inputs {
		declared["inputs."+name] = true
	}
	for _, out := range a.Outputs {
		texts = append(texts, out.Value)
	}
	output := regexp.MustCompile(`echo "([a-z-]+)=`)
	for _, s := range a.Runs.Steps {
		if (s.Run == "") != (s.Shell == "") || (s.Run == "") == (s.Uses == "") {
			t.Errorf("step %+v has neither a shell with what it runs, nor an action", s)
		}
		for _, name := range output.FindAllStringSubmatch(s.Run, -1) {
			declared["steps."+s.ID+".outputs."+name[1]] = true
		}
		texts = append(append(append(texts, s.If, s.Run), slices.Collect(maps.Values(s.Env))...), slices.Collect(maps.Values(s.With))...)
	}
	used := regexp.MustCompile(`\b(?:inputs|steps|runner)\.[a-z0-9.-]+`).FindAllString(strings.Join(texts, "\n"), -1)
	for _, name := range used {
		if !declared[name] {
			t.Errorf("%s is used, and nothing declares it", name)
		}
	}
	for name := range declared {
		if !slices.Contains(used, name) {
			t.Errorf("%s is declared, and nothing uses it", name)
		}
	}
}

func TestGitLabJobsRunRollcall(t *testing.T) {
	type job struct {
		Script      []string
		AfterScript []string `json:"after_script"`
		Extends     string
		Variables   map[string]any
		Artifacts   struct{ Reports struct{ JUnit string } }
	}
	jobs := map[string]job{}
	parse(t, "gitlab.yml", &jobs)
	got := map[string]map[string]string{}
	for name, j := range jobs {
		for _, line := range append(j.Script, j.AfterScript...) {
			dir := t.TempDir()
			calls, _ := shell(t, dir, line, "KUBECONFIG=/tmp/k", "IMAGES=echo:v1=r", "CI_MERGE_REQUEST_DIFF_BASE_SHA=abc",
				fmt.Sprintf("MANIFESTS=%v", j.Variables["MANIFESTS"]))
			for _, call := range calls {
				got[name+" "+call[0]] = accepted(t, call)
			}
			attached := read(t, filepath.Join(dir, "artifacts", "night", "junit.xml"))
			if slices.Contains(j.AfterScript, line) && attached != "[[ATTACHMENT|artifacts/night/evidence/x]]\n" {
				t.Errorf("%s attaches %s, which GitLab does not find from the root of the project", name, attached)
			}
		}
		if j.Extends != "" && jobs[j.Extends].Artifacts.Reports.JUnit != "artifacts/latest/junit.xml" {
			t.Errorf("%s gives GitLab no JUnit report", name)
		}
	}
	want := map[string]map[string]string{
		".rollcall trend": {"history": "artifacts/history.jsonl", "html": "artifacts/trend.html"},
		"rollouts-on-staging run": {"context": "staging", "kubeconfig": "/tmp/k", "namespace": "rollcall",
			"images": "echo:v1=r"},
		"rollouts-on-kind run":              {"modes": "iptables,nftables"},
		"rollouts-of-a-merge-request try":   {"filename": "", "base": "abc"},
		"rollouts-of-a-merge-request check": {"filename": "", "base": "abc"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// The alerts and the dashboard use metrics that a run writes, and labels that these have.
func TestAlertsAndDashboardAskForMetricsThatAreThere(t *testing.T) {
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Labels      map[string]string
			}
		}
	}
	parse(t, "alerts.yml", &rules)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	parse(t, "dashboard.json", &dashboard)
	asked := map[string]string{} // by alert or panel
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			asked[rule.Alert] = rule.Expr
			if rule.Labels["severity"] == "" {
				t.Errorf("%s has no severity", rule.Alert)
			}
		}
	}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			asked[panel.Title] = target.Expr
		}
	}
	if len(asked) != 10 {
		t.Errorf("%d alerts and panels ask for metrics, want 5 and 5", len(asked))
	}
	written := read(t, filepath.Join("..", "..", "..", "reports", "testdata", "metrics.prom"))
	metric := regexp.MustCompile(`(rollcall_\w+)(?:\{(\w+))?`)
	for name, expr := range asked {
		found := metric.FindAllStringSubmatch(expr, -1)
		if len(found) == 0 {
			t.Errorf("%s asks for no metric: %s", name, expr)
		}
		for _, m := range found {
			if strings.Contains(written, "# HELP "+m[1]+" Deprecated") {
				t.Errorf("%s asks for %s, which is deprecated", name, m[1])
			}
			series := regexp.MustCompile(`(?m)^` + m[1] + `(\{.*)? `).FindString(written)
			if series == "" || m[2] != "" && !regexp.MustCompile(`[{,]`+m[2]+`=`).MatchString(series) {
				t.Errorf("%s asks for %s, which no run writes", name, m[0])
			}
		}
	}
}
