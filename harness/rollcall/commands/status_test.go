package commands

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/sharedfile"
)

// goingOn is the folder of a run that goes on until end: one scenario has failed, and another is under way.
func goingOn(t *testing.T) (dir string, end func()) {
	t.Helper()
	dir = killed(t)
	held, err := sharedfile.TryLock(sessionLock(dir))
	if err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() { _ = held.Release() })
	t.Cleanup(end)
	return dir, end
}

// killed is the folder of such a run after it was killed.
func killed(t *testing.T) string {
	t.Helper()
	dir := runFolder(t)
	held, err := sharedfile.TryLock(sessionLock(dir))
	if err == nil {
		err = held.Abort() // leaves the file, as a killed process does
	}
	if err != nil {
		t.Fatal(err)
	}
	board, err := progress.Open(dir, "r", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	going, over := progress.Name{Mode: "iptables", Suite: "rollout", Scenario: "drained"}, progress.Name{Mode: "nftables"}
	board.Expect([]progress.Expected{{Name: going, Seconds: 60}, {Name: over, Seconds: 60}})
	board.Entry(over).End(progress.Result{Outcome: "fail", Headline: "3 failed", Because: "3 failed: 4 5 6",
		Facts: []string{"by kind: 3 refused"}})
	board.Entry(going).Begin()
	board.Entry(going).Update(progress.Running{Phase: "rolling out", Sent: 12, Failed: 3, Replies: map[string]int{"v1": 9}, Trouble: "late"})
	return dir
}

// Without a folder, status is of the run that began last where runs write theirs, wherever it is called.
func TestStatusFindsTheNewestRun(t *testing.T) {
	artifacts := t.TempDir()
	t.Setenv("ARTIFACTS", artifacts)
	t.Chdir(t.TempDir())
	var stderr bytes.Buffer
	want := "Error: " + artifacts + ": it has no run: name the folder of one, or begin one: rollcall run\n"
	if code := Execute([]string{"status"}, io.Discard, &stderr); code != exitUsage || stderr.String() != want {
		t.Errorf("without a run: exit code %d, %s", code, &stderr)
	}
	for name, dir := range map[string]string{"20261126-093459": killed(t), "20261127-093459": watched(t, runFolder(t))} {
		if err := os.CopyFS(filepath.Join(artifacts, name), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(artifacts, "20261128-093459-during"), os.DirFS(runFolder(t))); err != nil { // it has no status
		t.Fatal(err)
	}
	for _, args := range [][]string{{"status"}, {"status", "--watch"}, {"status", "--serve"}} {
		var stdout bytes.Buffer
		if code := Execute(args, &stdout, &stderr); code != 0 || !strings.HasPrefix(stdout.String(), "run r: ended, 1 of 2 scenarios done\n") {
			t.Errorf("%q: exit code %d\n%s%s", args, code, &stdout, &stderr)
		}
	}
}

func TestARunIsShownUntilItsEnd(t *testing.T) {
	dir, end := goingOn(t)
	out, in := io.Pipe()
	code := make(chan int)
	go func() {
		code <- Execute([]string{"status", "--serve", dir}, in, io.Discard)
		in.Close()
	}()
	said := bufio.NewReader(out)
	line, err := said.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	_, url, _ := strings.Cut(strings.TrimSpace(line), "watch it live: ")
	reply, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(reply.Body)
	reply.Body.Close()
	if err != nil || !strings.Contains(string(page), "rolling out") {
		t.Errorf("%v, %s", err, page)
	}
	end()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
	if reply, err := http.Get(url); err == nil {
		reply.Body.Close()
		t.Error("it is shown after its end")
	}
}
