package kind

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"example.com/rollcall/harness/sharedfile"
)

// fakeDocker is a program docker: it has one container as long as the file "container" is in its folder.
const fakeDocker = `#!/bin/sh
cd "${0%/*}"
case "$1" in
ps) cat container 2>/dev/null || true ;;
rm) rm container ;;
network) : >network-removed ;;
esac
`

func TestReaper(t *testing.T) {
	for _, row := range []struct {
		sentence                   string
		end                        func(*reaperProcess) error
		others                     bool // clusters of the same user
		removed, network, unlocked bool // unlocked: the lock file is gone too
	}{
		{sentence: "asked to, it removes containers, state and network, and leaves the lock to its owner",
			end: (*reaperProcess).remove, removed: true, network: true},
		{sentence: "the network stays for another cluster", end: (*reaperProcess).remove, others: true, removed: true},
		{sentence: "told to keep the cluster, it removes nothing", end: (*reaperProcess).keep},
		{sentence: "when its owner dies it removes the lock file too",
			end: func(r *reaperProcess) error { return errors.Join(r.stdin.Close(), r.cmd.Wait()) }, removed: true, network: true, unlocked: true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			bin, dir := t.TempDir(), t.TempDir()
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			container, state := filepath.Join(bin, "container"), filepath.Join(dir, "clusters", "n")
			err := errors.Join(
				os.WriteFile(filepath.Join(bin, "docker"), []byte(fakeDocker), 0o755),
				os.WriteFile(filepath.Join(bin, "sleep"), []byte("#!/bin/sh\n"), 0o755),
				os.WriteFile(container, []byte("c\n"), 0o644),
				os.MkdirAll(state, 0o755))
			if row.others {
				err = errors.Join(err, os.Mkdir(filepath.Join(dir, "clusters", "other"), 0o755))
			}
			if err != nil {
				t.Fatal(err)
			}
			held, err := sharedfile.TryLock(filepath.Join(dir, "n.lock"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := docker{}.StartReaper("n", state, held)
			if err != nil {
				t.Fatal(err)
			}
			if err := row.end(r.(*reaperProcess)); err != nil {
				t.Fatal(err)
			}
			gone := func(path string) bool {
				_, err := os.Stat(path)
				return errors.Is(err, fs.ErrNotExist)
			}
			if gone(container) != row.removed || gone(state) != row.removed {
				t.Errorf("container gone: %v, state gone: %v, want %v", gone(container), gone(state), row.removed)
			}
			if removed := !gone(filepath.Join(bin, "network-removed")); removed != row.network {
				t.Errorf("network removed: %v", removed)
			}
			if gone(held.File().Name()) != row.unlocked {
				t.Errorf("lock file gone: %v", gone(held.File().Name()))
			}
		})
	}
}
