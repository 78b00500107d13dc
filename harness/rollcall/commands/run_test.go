package commands

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/dataplane"
)

// A badRow is a command line that is refused in one line, which says what is wrong, before anything is created.
type badRow struct {
	sentence string
	args     []string
	stderr   string
}

func checkRefusals(t *testing.T, rows []badRow) {
	t.Chdir(filepath.Join("..", "..", ".."))
	t.Setenv("ARTIFACTS", t.TempDir()) // nothing is recorded there
	for _, row := range rows {
		t.Run(row.sentence, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := Execute(row.args, &stdout, &stderr); code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			if text := stderr.String(); !strings.Contains(text, row.stderr) || strings.Count(text, "\n") != 1 || strings.Contains(text, "sesame") {
				t.Errorf("stderr is not one line that says %q:\n%s", row.stderr, text)
			}
			if stdout.Len() > 0 {
				t.Errorf("stdout:\n%s", &stdout)
			}
		})
	}
}

func TestWordsAndOptionsThatThereAreNot(t *testing.T) {
	checkRefusals(t, []badRow{
		{"an unknown command", []string{"fly"}, "Error: rollcall fly: unknown command: rollcall --help lists them\n"},
		{"a mistyped command", []string{"rnu"}, "rollcall rnu: unknown command: rollcall --help lists them; did you mean run?"},
		{"a mistyped flag", []string{"run", "--profil=core"},
			"--profil: rollcall run has no such option: rollcall run --help lists them; did you mean --profile?"},
		{"a flag of another command", []string{"run", "--suite=rollout"},
			"--suite: rollcall run has no such option: rollcall run --help lists them; did you mean --suites?"},
		{"a mistyped flag of a command within a command", []string{"during", "begin", "--set=5s"},
			"--set: rollcall during begin has no such option: rollcall during begin --help lists them; did you mean --settle?"},
		{"a flag with one dash", []string{"run", "-modes=iptables"},
			"-modes=iptables: rollcall run has no such option: rollcall run --help lists them; did you mean --modes?"},
		{"a mistyped flag of reading", []string{"report", "--dryrun", "x"},
			"--dryrun: rollcall report has no such option: rollcall report --help lists them; did you mean --dry-run?"},
		{"a word too much", []string{"run", "rollout"}, "rollcall run rollout: it takes no such word: write --suites=rollout\n"},
		{"a scenario in place of an option", []string{"run", "unprobed"},
			"rollcall run unprobed: it takes no such word: write --run='^unprobed$'\n"},
		{"a flag without a value", []string{"run", "--profile"}, "--profile: it has no value: write --profile=PROFILE, or leave --profile out\n"},
		{"an unknown flag", []string{"run", "--fast"}, "--fast: rollcall run has no such option: rollcall run --help lists them\n"},
		{"a mistyped mode", []string{"run", "--modes=iptable"}, "use some of iptables, nftables, ipvs; did you mean iptables?"},
		{"a mistyped profile", []string{"run", "--profile=smok"}, "use smoke, core or full; did you mean smoke?"},
		{"a mistyped suite", []string{"run", "--suites=rolout"}, "choose one that rollcall list shows; did you mean rollout?"},
		{"a mistyped suite of a list", []string{"list", "--suites=rolout"}, "choose one that rollcall list shows; did you mean rollout?"},
		{"a mistyped profile of a list", []string{"list", "--profile=ful"}, "use smoke, core or full; did you mean full?"},
		{"a mistyped format", []string{"list", "-o", "jsno"}, "use text, json, yaml, markdown; did you mean json?"},
		{"a mistyped schema", []string{"schema", "polcy"}, "trend, try; did you mean policy?"},
		{"a mistyped scenario", []string{"explain", "drained-roling-update"}, "did you mean drained-rolling-update?"},
		{"a cluster for a command that has none", []string{"report", "--as=jane", "x"}, "--as: rollcall report has no such option: "},
		{"a cluster for images", []string{"image", "--context=staging"}, "--context: rollcall image has no such option: "},
		{"no cluster to clean up", []string{"clean", "--context="},
			"--context=: it has no value: write --context=CONTEXT, or leave --context out\n"},
		{"a mistyped command of maintenance", []string{"during", "mrak", "reboot"}, "rollcall during -- kubectl drain NODE; did you mean mark?"},
		{"an end of something", []string{"during", "end", "it"}, "rollcall during end it: it takes no such word: leave it out"},
		{"no subject of a clean-up", []string{"clean", "all"}, "rollcall clean all: it takes no such word: leave it out"},
	})
}

func TestBadInputOfARun(t *testing.T) {
	checkRefusals(t, []badRow{
		{"a name of no scenario", []string{"run", "--run=nosuch", "--dry-run"}, "--run=nosuch: the suites have no such scenario in profile full"},
		{"a run in which nothing failed", []string{"run", "--dry-run", "--failed=" + reported(t, ended(t, runFolder(t)))},
			"nothing there failed or was inconclusive"},
		{"a port that is none, of a run that is not to be", []string{"run", "--serve=99999", "--dry-run"}, "--serve=99999: "},
		{"an unknown mode", []string{"run", "--modes=ebpf"}, "--modes=ebpf: kube-proxy has no such mode: use some of " +
			strings.Join(dataplane.Names(), ", ") + "\n"},
		{"an unknown profile", []string{"run", "--profile=huge"}, "use smoke, core or full\n"},
		{"too many recordings at a time", []string{"run", "--jobs=17"}, "use 1 to 16"},
		{"a number of recordings that is none", []string{"run", "--jobs=many"}, "use 1 to 16"},
		{"no recording at a time", []string{"run", "--jobs=0"}, "use 1 to 16"},
		{"a rate that no rollout can be judged by", []string{"run", "--rate=1"}, "use 6 to 1000"},
		{"an unknown suite", []string{"run", "--suites=nope"},
			"Error: --suites=nope: it does not exist: choose one that rollcall list shows\n"},
		{"the file of an app", []string{"run", "--app=harness/try/testdata/app/app.yaml", "--modes=nftables", "--suites=own"},
			"app.yaml: rollcall try does this now, by the manifests themselves: rollcall try " +
				"--filename=harness/try/testdata/app/nginx.yaml --service=nginx:8000/ --modes=nftables # it has no option for "},
		{"the file of an app that is not there", []string{"run", "--app=none.yaml"}, "none.yaml: none.yaml: cannot be read: "},
		{"a namespace of no cluster", []string{"run", "--namespace=mine"}, "and none is named"},
		{"somebody to impersonate on a kind cluster", []string{"run", "--as=jane"},
			"--as=jane: it applies only to an existing cluster, and none is named: name it: --context=NAME"},
		{"a token for a kind cluster", []string{"run", "--token=open-sesame"}, "--token: it applies only to an existing cluster"},
		{"a cluster that is not there", []string{"run", "--context=nowhere", "--kubeconfig=none"}, "none"},
		{"a lab that keeps its cluster", []string{"run", "--lab", "--keep"},
			"leave out --context, --keep, --dry-run, --failed and --serve"},
		{"a port that is none", []string{"run", "--serve=99999"}, "--serve=99999: "},
		{"a lab that lists its scenarios", []string{"run", "--lab", "--dry-run"}, "keeps nothing"},
	})
}

func TestBadInputOfMaintenance(t *testing.T) {
	checkRefusals(t, []badRow{
		{"likewise where a URL is asked from this host", []string{"during", "--url=http://127.0.0.1:1/", "--as=jane", "--", "true"},
			"--as=jane: it applies only to an existing cluster"},
		{"a wait for no Service", []string{"wait"}, "rollcall wait: no Service is named: name one: --service=NAMESPACE/NAME"},
		{"a role to wait in no namespace", []string{"wait", "--service=web", "--print-rights"},
			"--service=web: it names no namespace, in which the role is: write it like shop/web"},
		{"maintenance without a command", []string{"during"},
			"no command is named: write one after --, or use rollcall during begin, mark and end"},
		{"the rights for a Service that is none", []string{"during", "--print-rights", "--service=web"},
			"--service=web: it does not name a namespace and a Service: "},
		{"a command that is not there", []string{"during", "--", "no-such-program"}, "command no-such-program: it does not exist"},
		{"an outage that is none", []string{"during", "--max-outage=5", "--", "true"},
			"--max-outage=5: it is not a duration of 1ms or more: give the unit: 5ms, 5s or 5m?"},
		{"a share that is none", []string{"during", "begin", "--max-failed=0.01%"}, "--max-failed=0.01%: it is not a share of 0.1% to 100%"},
		{"two clusters at a time", []string{"during", "begin", "--modes=iptables,nftables"}, "name one mode"},
		{"a mark of nothing", []string{"during", "mark"}, "rollcall during mark: too little is named: name the step, such as: reboot node-7"},
		{"a mark in no recording", []string{"during", "mark", "reboot"}, "mark: nothing is being recorded"},
		{"an end of nothing", []string{"during", "end"}, "end: nothing is being recorded"},
	})
}

func TestBadInputOfOtherCommands(t *testing.T) {
	checkRefusals(t, []badRow{
		{"a server that is not a URL", []string{"clean", "--server=staging"}, "--server=staging: it is not a URL"},
		{"a user without a cluster", []string{"clean", "--user=jane"}, "rollcall clean: no cluster is named: name it: --context=NAME"},
		{"a status that is followed, as data", []string{"status", "--watch", "-o", "json"},
			"Error: --output, --watch: they exclude each other: leave one of them out"},
		{"a Kubernetes version of nothing", []string{"preflight", "--k8s=v1.36.x"},
			"--k8s=v1.36.x: it is the version of the node image, and that is not asked for: add --node-image"},
		{"an unknown Kubernetes version", []string{"preflight", "--node-image", "--k8s=v1.2"}, "v1.2"},
		{"no repository to push to", []string{"image"}, "name it: --image-repo="},
	})
}

// The command line that is printed for the file of an app can be called.
func TestTheTryInsteadOfAnApp(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", ".."))
	t.Setenv("ARTIFACTS", t.TempDir())
	var said, plan, stderr bytes.Buffer
	if code := Execute([]string{"run", "--app=harness/try/testdata/app/app.yaml", "--modes=iptables,nftables", "--dry-run"}, io.Discard,
		&said); code != exitUsage {
		t.Fatalf("exit code %d: %s", code, &said)
	}
	const program = ": rollcall try --"
	words, _ := shellWords(said.String()[strings.LastIndex(said.String(), program)+len(program)-2:])
	code := Execute(append([]string{"try"}, words...), &plan, &stderr)
	if code != 0 || !strings.Contains(plan.String(), "\nmodes:     iptables, then nftables") {
		t.Errorf("rollcall try %s: exit code %d: %s\n%s", strings.Join(words, " "), code, &stderr, &plan)
	}
}

// Every command can be found, says what it does and which exit codes it has, and can be completed.
func TestHelp(t *testing.T) {
	commands := rootCommand().Commands()
	for _, cmd := range commands {
		commands = append(commands, cmd.Commands()...)
	}
	if files, err := helpTexts.ReadDir("help"); err != nil || len(files) != len(commands) {
		t.Errorf("%d commands have %d texts: %v", len(commands), len(files), err)
	}
	for _, cmd := range commands {
		if cmd.Short == "" || cmd.Long == "" || !strings.HasPrefix(cmd.Annotations[exits], "Exit codes: 0") &&
			!strings.HasPrefix(cmd.Annotations[exits], "Exit codes:\n  0") {
			t.Errorf("%s says too little: %q", cmd.CommandPath(), cmd.Long)
		}
	}
	for _, args := range [][]string{{"--version"}, {"completion", "bash"}, {"help", "run"}, {"run", "--help"},
		{"during", "begin", "--help"}, {}} {
		var stdout bytes.Buffer
		if code := Execute(args, &stdout, io.Discard); code != 0 || stdout.Len() == 0 {
			t.Errorf("%q: exit code %d, %d bytes", args, code, stdout.Len())
		}
	}
}
