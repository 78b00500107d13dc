package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/usage"
)

// A host without the room for a lab gets an error that says how much is needed, before anything is done.
func TestCheckHost(t *testing.T) {
	able := host.Facts{Root: true, Apt: true, CacheDisk: host.Disk{Folder: "/cache", Free: 20 << 30}, MemoryFree: 20 << 30}
	if err := checkHost(able); err != nil {
		t.Error(err)
	}
	for _, row := range []struct {
		sentence string
		change   func(*host.Facts)
		says     string
	}{
		{"no root", func(f *host.Facts) { f.Root = false }, "ipvs lab: building it needs root and apt-get"},
		{"no disk", func(f *host.Facts) { f.CacheDisk.Free = 2 << 30 },
			"ipvs lab: 2.0 GiB of disk is free in /cache, and 8 GiB is needed: free some space"},
		{"no memory", func(f *host.Facts) { f.MemoryFree = 3 << 30 },
			"ipvs lab: 3.0 GiB of memory is available, and 6 GiB is needed: end other programs"},
	} {
		facts := able
		row.change(&facts)
		if err := checkHost(facts); !usage.Is(err) || !strings.HasPrefix(err.Error(), row.says) {
			t.Errorf("%s: %v", row.sentence, err)
		}
	}
}

func TestScript(t *testing.T) {
	o := Options{Kubernetes: "v1.36.3", Args: []string{"--suites=control,rollout", "--run=it's|x"}}
	want := "runs=/srv/rollcall/out\n" +
		`mkdir -p "$runs" && mount --bind /lab/out "$runs" && cd /lab/rollcall && ARTIFACTS="$runs" CI=true exec ./rollcall run --modes=ipvs --k8s=v1.36.3 --rate=6 --suites=control,rollout '--run=it'"'"'s|x'` + "\n"
	if got := o.script("/srv/rollcall/out"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// collect copies the guest's run folder, and no other file.
func TestCollect(t *testing.T) {
	work, to := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "out")
	if folder, err := collect(work, to); folder != "" || err != nil {
		t.Errorf("nothing was left, and %q came back: %v", folder, err)
	}
	for _, row := range []struct {
		sentence, to string
		want         string // name of the folder; empty: an error
	}{
		{"where nothing can be written, it stays", "/dev/null/out", ""},
		{"it is copied", to, "20261122-010203"},
		{"the second time the name is taken", to, "20261122-010203-ipvs"},
	} {
		recorded := filepath.Join(work, "shared", "out", "20261122-010203", "evidence", "session.json")
		for _, path := range []string{recorded, filepath.Join(work, "shared", "out", "history.jsonl")} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("{}"), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		folder, err := collect(work, row.to)
		if (err == nil) != (row.want != "") || err == nil && filepath.Base(folder) != row.want {
			t.Fatalf("%s: %q, %v", row.sentence, folder, err)
		}
		if err == nil {
			recorded = filepath.Join(folder, "evidence", "session.json")
		}
		if _, err := os.Stat(recorded); err != nil {
			t.Errorf("%s: %v", row.sentence, err)
		}
		if _, err := os.Stat(work); (err == nil) != (row.want == "") {
			t.Errorf("%s: what is in the lab's folder: %v", row.sentence, err)
		}
	}
	if _, err := os.Stat(filepath.Join(to, "history.jsonl")); err == nil {
		t.Error("the guest's history came back")
	}
}

// watch returns when the lab shows no sign of life, when its kernel ends, and when it stops after an interrupt.
func TestWatchEndsALabThatGoesWrong(t *testing.T) {
	interrupted := errors.New("Ctrl-C")
	for _, row := range []struct {
		sentence string
		end      func(cancel context.CancelCauseFunc, ended chan error)
		want     error
		after    time.Duration
	}{
		{"it hangs while it boots", func(context.CancelCauseFunc, chan error) {}, errSilent, silenceTimeout + time.Second},
		{"its kernel ends", func(_ context.CancelCauseFunc, ended chan error) {
			time.Sleep(5 * time.Second)
			ended <- os.ErrProcessDone
		}, os.ErrProcessDone, 5 * time.Second},
		{"it stops when told to", func(cancel context.CancelCauseFunc, ended chan error) {
			time.Sleep(5 * time.Second)
			cancel(interrupted)
			time.Sleep(5 * time.Second)
			ended <- nil
		}, interrupted, 10 * time.Second},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				ended := make(chan error, 1)
				go row.end(cancel, ended)
				began := time.Now()
				if err := (machine{shared: dir}).watch(ctx, ended); !errors.Is(err, row.want) {
					t.Errorf("%v", err)
				}
				if took := time.Since(began); took > row.after+time.Second {
					t.Errorf("after %v", took)
				}
			})
		})
	}
}
