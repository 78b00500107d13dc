package commands

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/golden"
)

func TestADryRunSaysWhatChangedAndWritesNothing(t *testing.T) {
	dir := edited(t, reported(t, ended(t, runFolder(t, 60, 61))), `"requests": 100`, `"requests": 99`)
	before := contents(t, dir)
	var stdout, stderr bytes.Buffer
	if code := Execute([]string{"report", "--dry-run", dir}, &stdout, &stderr); code != 1 || stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("the run folder (-before +after):\n%s", diff)
	}
	golden.File(t, "testdata/dry-run.txt", stdout.String())
}

// A verdict of another build is not taken, and replaced where the reports are written.
func TestARunThatAnotherBuildJudgedIsJudgedAgain(t *testing.T) {
	const line = "recordings judged again: 1 (another build)"
	dir := reported(t, runFolder(t))
	file := filepath.Join(evidence.ScenarioFolder(dir, "iptables", "rollout", "drained", 1), evidence.VerdictFile)
	for _, row := range []struct {
		args           []string
		stdout, stderr bool // says that
	}{
		{[]string{"compare", dir, dir}, true, false},
		{[]string{"compare", dir, dir}, true, false},
		{[]string{"report", "--dry-run", dir}, false, false},
		{[]string{"report", dir}, true, false},
		{[]string{"report", dir}, false, false},
		{[]string{"report", "-o", "json", dir}, false, true},
	} {
		var stdout, stderr bytes.Buffer
		if row.args[0] == "compare" || row.stderr {
			text := strings.Replace(read(t, file), `"build": "`, `"build": "v0`, 1)
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		Execute(row.args, &stdout, &stderr)
		if strings.Contains(stdout.String(), line) != row.stdout || strings.Contains(stderr.String(), line) != row.stderr {
			t.Errorf("%s prints\n%s\nand\n%s", row.args, stdout.String(), stderr.String())
		}
	}
}

// reported writes the reports of a run folder by the rules of this build.
func reported(t *testing.T, dir string) string {
	t.Helper()
	var stderr bytes.Buffer
	if Execute([]string{"report", dir}, io.Discard, &stderr); stderr.Len() > 0 {
		t.Fatal(stderr.String())
	}
	return dir
}

// edited replaces words in the report.json of a run folder, or all of it if there are no words.
func edited(t *testing.T, dir, words, others string) string {
	t.Helper()
	path := filepath.Join(dir, "report.json")
	text := others
	if words != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if text = strings.ReplaceAll(string(data), words, others); text == string(data) {
			t.Fatalf("%s does not say %q", path, words)
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// without removes a file of the scenario in a run folder.
func without(t *testing.T, dir, name string) string {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "evidence", "iptables", "rollout", "drained", name)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// contents maps each file in dir to its content.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
