package during

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/kept"
)

// creations are what changes created on clusters that stay.
type creations struct{ removed int }

func (c *creations) Remove(context.Context) error { c.removed++; return nil }
func (*creations) Stays() []string                { return nil }

// withParts returns a recorder of the same change in one mode after the other, on clusters that stay, and what it created.
func withParts(folder string, hows ...string) (recorder, *creations) {
	r, created := fakeRecorder(folder, works), &creations{}
	for i, how := range hows {
		f := &fakeRecording{folder: folder, how: how, mode: []string{"iptables", "nftables"}[i]}
		a := r.settings
		a.plan.Options = run.Options{Modes: f.mode, Keep: true}
		r.parts = append(r.parts, Part{Prepared: Prepared{a}, Created: created, record: f.record, Changes: []Change{changeOf("rollout", nil)}})
	}
	return r, created
}

// changeOf returns a change that does nothing. unprepared says why it is not recorded; nil: it is.
func changeOf(id string, unprepared error) Change {
	return Change{ID: id, Does: func() string { return "Deployment web restarts" },
		Prepare: func(context.Context, Site) error { return unprepared }, Do: func(context.Context) error { return nil }}
}

// Parts are recorded into one run folder, whose report has all of them, and whose exit code is that of the worst.
func TestPartsOfARecording(t *testing.T) {
	const rollout = " during/rollout"
	for _, row := range []struct {
		sentence, first, second string // how they go
		code                    int
		judged                  []string // in this order
		broken                  string
		removed                 int // from how many clusters
	}{
		{"clients lose nothing in both modes", works, works, 0, []string{"iptables" + rollout, "nftables" + rollout}, "", 2},
		{"clients lose a request in the first", loses, works, 1, []string{"iptables" + rollout, "nftables" + rollout}, "", 2},
		{"clients lose a request in the second", works, loses, 1, []string{"iptables" + rollout, "nftables" + rollout}, "", 2},
		{"there is no second cluster", works, breaks, 3, []string{"iptables" + rollout}, "nftables: docker: no space left", 1},
		{"there is no first cluster", breaks, works, 3, []string{"nftables" + rollout}, "iptables: docker: no space left", 1},
		{"bad input is found when the first is recorded", works, refused, 3, []string{"iptables" + rollout},
			"nftables: node-image: there is none: build it", 1},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r, created := withParts(runFolder(t), row.first, row.second)
			var out bytes.Buffer
			code, err := r.run(t.Context(), Terminal{Out: &out, Errors: &out}, nil)
			if code != row.code || err != nil {
				t.Errorf("exit code %d, %v; want %d", code, err, row.code)
			}
			report := load(t, r.folder)
			var judged []string
			for _, s := range report.Scenarios {
				judged = append(judged, s.Mode+" "+s.Name())
			}
			if diff := cmp.Diff(row.judged, judged); diff != "" {
				t.Errorf("(-want +judged):\n%s", diff)
			}
			if broken := strings.Join(report.Run.Broken, "; "); broken != row.broken {
				t.Errorf("broken: %q, want %q", broken, row.broken)
			}
			if created.removed != row.removed {
				t.Errorf("what was created is removed from %d clusters, want %d", created.removed, row.removed)
			}
			if n := strings.Count(out.String(), "\nrun folder: "); n != 1 {
				t.Errorf("%d reports are printed:\n%s", n, &out)
			}
		})
	}
}

// What the first part is refused for ends the recording, and leaves nothing behind.
func TestPartsThatAreRefused(t *testing.T) {
	r, _ := withParts(runFolder(t), refused, works)
	if _, err := r.run(t.Context(), Terminal{Out: &bytes.Buffer{}, Errors: &bytes.Buffer{}}, nil); !usage.Is(err) {
		t.Errorf("error %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(r.root, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// After an interrupt no other part begins, and the report says so.
func TestPartsAfterAnInterrupt(t *testing.T) {
	r, _ := withParts(runFolder(t), works, works)
	ctx, interrupt := context.WithCancelCause(t.Context())
	r.parts[0].Changes[0].Do = func(context.Context) error {
		interrupt(errInterrupted)
		return nil
	}
	code, err := r.run(ctx, Terminal{Out: &bytes.Buffer{}, Errors: &bytes.Buffer{}}, nil)
	if code != 3 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	report := load(t, r.folder)
	if broken := strings.Join(report.Run.Broken, "; "); !strings.Contains(broken, "nftables: not recorded: interrupted") {
		t.Errorf("broken: %q", broken)
	}
}

// Each change learns how its recording was judged, one with nothing to do is not recorded, and what they show together stands below the
// report.
func TestChangesOfAPart(t *testing.T) {
	r, _ := withParts(runFolder(t), loses)
	var judged []string
	telling := func(c Change) Change {
		c.Judged = func(rec kept.Recording, unfinished string) {
			judged = append(judged, rec.Run.Scenario+" "+rec.Verdict.Outcome.String()+" "+unfinished)
		}
		return c
	}
	shown := telling(changeOf("shown", nil))
	shown.Unjudged = true
	part := &r.parts[0]
	part.Changes = []Change{telling(part.Changes[0]), telling(changeOf("none", run.ErrNothing)), shown, telling(changeOf("again", nil))}
	part.Result = func() string { return strings.Repeat("lost ", 30) + "of many" }
	var out bytes.Buffer
	code, err := r.run(t.Context(), Terminal{Out: &out, Errors: &out}, nil)
	if code != 1 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	if diff := cmp.Diff([]string{"rollout fail ", "shown pass ", "again fail "}, judged); diff != "" {
		t.Errorf("(-want +judged):\n%s", diff)
	}
	_, below, _ := strings.Cut(out.String(), "\nrun folder: ")
	if !strings.Contains(below, "\nlost lost") || !strings.HasSuffix(below, "\n    lost lost lost lost lost lost lost of many\n") {
		t.Errorf("below the report:\n%s", below)
	}
}
