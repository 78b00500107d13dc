package kind

import (
	"os"
	"strings"
	"testing"

	"example.com/rollcall/harness/sharedfile"
)

func TestSweep(t *testing.T) {
	for _, row := range []struct {
		sentence                 string
		state, kept, locked, all bool
		removed                  bool
	}{
		{sentence: "what a killed run left is removed", state: true, removed: true},
		{sentence: "what a run is using is not", state: true, locked: true},
		{sentence: "not even by make clean", state: true, locked: true, all: true},
		{sentence: "a kept cluster stays", state: true, kept: true},
		{sentence: "until make clean", state: true, kept: true, all: true, removed: true},
		{sentence: "another user's, whose state is elsewhere, stays", all: true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			e, spec := newFakeEngine(), fakeSpec(t)
			state, lockFile, err := paths(spec.Name)
			if err != nil {
				t.Fatal(err)
			}
			if row.state {
				if err := os.MkdirAll(state, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if row.kept {
				if err := os.WriteFile(noteFile(state), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if row.locked {
				held, err := sharedfile.TryLock(lockFile)
				if err != nil {
					t.Fatal(err)
				}
				defer held.Release()
			}
			var out strings.Builder
			if err := sweep(t.Context(), &out, e, row.all); err != nil {
				t.Fatal(err)
			}
			if removed := e.index("reaper removes") >= 0; removed != row.removed || removed != strings.Contains(out.String(), "removing cluster n") {
				t.Errorf("removed: %v, output %q", removed, &out)
			}
			if !row.locked {
				wantUnlocked(t, spec.Name)
			}
		})
	}
}
