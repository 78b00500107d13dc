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

// StaleRuns returns the ids of this host's runs on a server that did not come to their end. A second call does not find them again.
func StaleRuns(server string) (map[string]bool, error) {
	pattern, err := runLockFile(server, "*")
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	before, after, _ := strings.Cut(pattern, "*")
	stale := map[string]bool{}
	for _, file := range files {
		held, err := sharedfile.TryLock(file)
		if errors.Is(err, sharedfile.ErrHeld) {
			continue
		}
		if err == nil {
			err = held.Release()
		}
		if err != nil {
			return nil, err
		}
		stale[strings.TrimSuffix(strings.TrimPrefix(file, before), after)] = true
	}
	return stale, nil
}

func runLockFile(server, run string) (string, error) {
	dir, err := host.StateDir()
	return filepath.Join(dir, "locks", fmt.Sprintf("target-%x-%s.lock", sha256.Sum256([]byte(server)), run)), err
}
