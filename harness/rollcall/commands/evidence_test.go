package commands

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const recordedUndrained = "../../../reports/testdata/recorded/iptables-undrained"

func TestEvidence(t *testing.T) {
	runs := t.TempDir()
	older, newest := filepath.Join(runs, "20261126-000000"), filepath.Join(runs, "20261127-000000")
	for dir, refused := range map[string]int{older: 60, newest: 61} {
		if err := os.CopyFS(dir, os.DirFS(watched(t, runFolder(t, refused)))); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("ARTIFACTS", runs)
	for _, row := range []struct {
		sentence string
		args     string
		code     int
		says     string // on stdout, or with another code than 0 the whole error
	}{
		{"a scenario of the newest run", "iptables/rollout/drained", 0, "--request worker-fresh/61\n"},
		{"a folder of an older one", older + "/evidence/iptables/rollout/drained", 0, "--request worker-fresh/60\n"},
		{"a folder of one recording alone", recordedUndrained, 0, "requests that decided the verdict"},
		{"one request", recordedUndrained + " --request worker2-fresh/148", 0,
			"the rules of rollcall-iptables-worker2, its client's node, routed to it until 0.668 s after the request\n"},
		{"one pod", recordedUndrained + " --pod=p676l", 0, "routed to it from -3.308 s until +4.118 s ±0.001 s\n"},
		{"a request and a pod", recordedUndrained + " --request=worker-fresh/1 --pod=echo-76554f84c4-p676l", 0, "\npod echo-76554f84c4-p676l"},
		{"a scenario that the run has not", "iptables/rollout/draned", 2, "iptables/rollout/draned: run " + newest +
			" did not record it: name one as MODE/SUITE/ID, or give the folder of a recording; did you mean iptables/rollout/drained?"},
		{"a whole run", older, 2, older + ": it is a run with several recordings: name the folder of one: " + older +
			"/evidence/MODE/SUITE/ID"},
		{"a request without its lane", recordedUndrained + " --request=165", 2,
			"--request=165: it is not a lane and a number: write it like worker-fresh/165"},
		{"a lane that there is not", "iptables/rollout/drained --request=worker/9", 2,
			"--request=worker/9: the recording has no lane worker: choose one of: worker-fresh"},
		{"a number that there is not", "iptables/rollout/drained --request=worker-fresh/100", 2,
			"--request=worker-fresh/100: the lane has 100 requests, and none of that number: numbers begin with 0"},
		{"a pod that there is not", recordedUndrained + " --pod=p676", 2, "--pod=p676: the recording has no pod of that name, or several: "},
		{"a pod of a recording without any", "iptables/rollout/drained --pod=p", 2, "--pod=p: the recording has no pod: leave it out"},
		{"an empty request, as of an empty variable", recordedUndrained + " --request=", 2,
			"--request=: it has no value: write --request="},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := Execute(append([]string{"evidence"}, strings.Fields(row.args)...), &stdout, &stderr)
			said := stdout.String()
			if row.code != 0 {
				said = strings.TrimPrefix(stderr.String(), "Error: ")
			}
			if code != row.code || !strings.Contains(said, row.says) || strings.Count(stderr.String(), "\n") > 1 {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", code, row.code, row.says, stdout.String(), stderr.String())
			}
		})
	}
}

func TestScenariosOfTheNewestRunAreCompleted(t *testing.T) {
	runs := t.TempDir()
	newest := filepath.Join(runs, "20261127-000000")
	if err := os.CopyFS(newest, os.DirFS(watched(t, runFolder(t)))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ARTIFACTS", runs)
	var out bytes.Buffer
	code := Execute([]string{"__complete", "evidence", ""}, &out, io.Discard)
	if code != 0 || !strings.Contains(out.String(), "iptables/rollout/drained\n") {
		t.Errorf("exit code %d: %s", code, out.String())
	}
}
