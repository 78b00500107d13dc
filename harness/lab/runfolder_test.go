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
	var reported []string
	o := Options{Report: func(folder string) error { reported = append(reported, folder); return nil }}
	if err := o.recoverKilled(io.Discard, work, runs); err != nil || len(reported) > 0 {
		t.Fatalf("nothing was left, and %v is reported: %v", reported, err)
	}
	file := evidence.SessionPath(filepath.Join(work, "shared", "out", "20261122-010203"))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
		store.WriteJSON(file, evidence.Session{Broken: []string{"before"}})); err != nil {
		t.Fatal(err)
	}
	if err := o.recoverKilled(io.Discard, work, runs); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(runs, "20261122-010203")
	var session evidence.Session
	if err := store.ReadJSON(evidence.SessionPath(folder), &session); err != nil {
		t.Fatal(err)
	}
	if want := []string{"before", "lab: it was killed"}; !slices.Equal(session.Broken, want) || !slices.Equal(reported, []string{folder}) {
		t.Errorf("broken %q, reported %q", session.Broken, reported)
	}
	if _, err := os.Stat(work); err == nil {
		t.Error("what was collected is left in the lab's folder")
	}
}
