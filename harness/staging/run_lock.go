package staging

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/sharedfile"
)

// AcquireRunLock locks a file on this host for a run on the cluster of an API server. The run holds the lock while it lives, so
// that the next one knows whether the objects it finds in that cluster are from a dead run.
func AcquireRunLock(server, run string) (*sharedfile.Lock, error) {
	file, err := runLockFile(server, run)
	if err != nil {
		return nil, err
	}
	return sharedfile.TryLock(file)
}

// withStaleRuns calls do with the ids of this host's runs on a server that did not come to their end. A second call finds them again only
// if do fails.
func withStaleRuns(server string, do func(stale map[string]bool) error) (err error) {
	pattern, err := runLockFile(server, "*")
	if err != nil {
		return err
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(pattern, "*")
	stale := map[string]bool{}
	for _, file := range files {
		held, alive := sharedfile.TryLock(file)
		if errors.Is(alive, sharedfile.ErrHeld) {
			continue
		}
		if alive != nil {
			return alive
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, held.Abort())
			} else {
				err = held.Release()
			}
		}()
		stale[strings.TrimSuffix(strings.TrimPrefix(file, before), after)] = true
	}
	return do(stale)
}

func runLockFile(server, run string) (string, error) {
	dir, err := host.StateDir()
	return filepath.Join(dir, "locks", fmt.Sprintf("target-%x-%s.lock", sha256.Sum256([]byte(server)), run)), err
}
