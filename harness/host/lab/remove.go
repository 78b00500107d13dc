package lab

import (
	"errors"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
)

// Remove removes everything of the lab. It returns an error if another process uses the lab.
func Remove() error {
	state, err := host.StateDir()
	if err != nil {
		return err
	}
	held, err := sharedfile.TryLock(filepath.Join(state, "locks", "lab.lock"))
	if errors.Is(err, sharedfile.ErrHeld) {
		return usage.New("ipvs lab", "it is in use", "wait for its end")
	}
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(filepath.Join(state, "lab")), held.Release())
}
