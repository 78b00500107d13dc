package lab

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
)

func TestRecoverKilled(t *testing.T) {
	work, runs := filepath.Join(t.TempDir(), "run"), t.TempDir()
	p, told := fakeRollcall(t, "exit 3") // as of a run that broke off
	if err := p.recoverKilled(t.Context(), io.Discard, work, runs); err != nil {
		t.Fatal(err)
	}
	if told() != "" {
		t.Fatal("nothing was left, and it is reported")
	}
	file := evidence.SessionPath(filepath.Join(work, "shared", "out", "20261122-010203"))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
		store.WriteJSON(file, evidence.Session{Broken: []string{"before"}})); err != nil {
		t.Fatal(err)
	}
	if err := p.recoverKilled(t.Context(), io.Discard, work, runs); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(runs, "20261122-010203")
	var session evidence.Session
	if err := store.ReadJSON(evidence.SessionPath(folder), &session); err != nil {
		t.Fatal(err)
	}
	if want := []string{"before", "lab: it was killed"}; !slices.Equal(session.Broken, want) || told() != "report "+folder+"\n" {
		t.Errorf("broken %q, reported by rollcall %s", session.Broken, told())
	}
	if _, err := os.Stat(work); err == nil {
		t.Error("what was collected is left in the lab's folder")
	}
}
