package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/usage"
)

// recordsInto returns a run with a session in a folder of its own, at 100 requests per second.
func recordsInto(t *testing.T, jobs, most int) *Run {
	t.Helper()
	return &Run{Folder: t.TempDir(), board: progress.Discard(),
		session: evidence.Session{Jobs: jobs, MostJobs: most, Rate: 100}}
}

// A process that records into the folder of another continues the other's session, once that process has ended.
func TestSession(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	process := func(ctx context.Context, rate int) (*Run, error) {
		p := Plan{Profile: harness.Core, Rate: rate, Jobs: 2, Modes: []string{"iptables"}}
		return p.Begin(ctx, folder, p.NewSession(folder))
	}
	first, err := process(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	id := first.session.ID
	hurried, interrupt := context.WithCancelCause(t.Context())
	interrupt(errors.New("Ctrl-C"))
	if _, err := process(hurried, 100); err == nil || !strings.HasSuffix(err.Error(), "Ctrl-C") {
		t.Errorf("a process that waits and is interrupted: %v", err)
	}
	began := make(chan *Run)
	go func() {
		r, err := process(t.Context(), 50)
		if err != nil {
			t.Error(err)
		}
		began <- r
	}()
	for range 2 { // once at each write, on a full disk
		first.RecordBreakage("a pod is left")
	}
	if err := first.End(); err != nil {
		t.Fatal(err)
	}
	second := <-began
	if second.session.ID == "" || second.session.ID != id || second.session.Rate != 100 {
		t.Errorf("the second went on with %+v", second.session)
	}
	var s evidence.Session
	if err := store.ReadJSON(evidence.SessionPath(folder), &s); err != nil || !s.Ended.IsZero() {
		t.Errorf("while the second goes on: ended %v, %v", s.Ended, err)
	}
	if err := second.End(); err != nil {
		t.Fatal(err)
	}
	if err := store.ReadJSON(evidence.SessionPath(folder), &s); err != nil {
		t.Fatal(err)
	}
	if s.Ended.IsZero() || !slices.Equal(s.Broken, []string{"a pod is left"}) || s.Profile != "core" || s.Jobs != 1 || s.MostJobs != 2 {
		t.Errorf("the session at the end: %+v", s)
	}
}

// Runs that begin in the same second do not write into, or remove, the folder of another.
func TestRunsThatBeginTogetherHaveFoldersOfTheirOwn(t *testing.T) {
	root := filepath.Join(t.TempDir(), "out")
	var folders []string
	for range 3 {
		folder, err := NewFolder(root, "-rollout")
		if err != nil || slices.Contains(folders, folder) {
			t.Errorf("%s beside %q, %v", folder, folders, err)
		}
		folders = append(folders, folder)
	}
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := NewFolder(file, ""); !usage.Is(err) {
		t.Errorf("error %v of a folder in a file", err)
	}
}

// The command line of go test is recorded without its secrets.
func TestTheCommandOfASessionHasNoSecret(t *testing.T) {
	given := os.Args
	defer func() { os.Args = given }()
	os.Args = []string{"suite.test", "-context=staging", "-token=open-sesame"}
	s := Suite{Out: t.TempDir()}
	s.Access.Token = "open-sesame"
	r, err := s.begin(t.Context(), "suite")
	if err != nil {
		t.Fatal(err)
	}
	if want := "suite.test -context=staging -token=(secret)"; r.session.Command != want {
		t.Errorf("command %q, want %q", r.session.Command, want)
	}
	if err := r.End(); err != nil {
		t.Error(err)
	}
}
