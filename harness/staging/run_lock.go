package staging

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/sharedfile"
)

// AcquireRunLock locks a file on this host for a run on the cluster of an API server. The run holds the lock while it lives, so
// that the next one in the same preassigned namespaces knows whether the objects it finds there are from a dead run.
func AcquireRunLock(server string, namespaces []string, run string) (*sharedfile.Lock, error) {
	file, err := runLockFile(server, namespaces, run)
	if err != nil {
		return nil, err
	}
	return sharedfile.TryLock(file)
}

// withDeadRuns calls do with the ids of this host's runs on a server, in some preassigned namespaces or in new ones, that did not come to
// their end. A second call finds them again only if do fails.
func withDeadRuns(server string, namespaces []string, do func(dead map[string]bool) error) error {
	held, err := lockDeadRuns(server, namespaces)
	if err == nil {
		err = do(ids(held))
	}
	for _, lock := range held {
		if err != nil {
			err = errors.Join(err, lock.Abort())
		} else {
			err = lock.Release()
		}
	}
	return err
}

// deadRuns returns the ids that withDeadRuns finds.
func deadRuns(server string, namespaces []string) (map[string]bool, error) {
	held, err := lockDeadRuns(server, namespaces)
	for _, lock := range held {
		err = errors.Join(err, lock.Abort())
	}
	return ids(held), err
}

func ids(held map[string]*sharedfile.Lock) map[string]bool {
	dead := map[string]bool{}
	for run := range held {
		dead[run] = true
	}
	return dead
}

// lockDeadRuns takes the locks of dead runs, by their ids.
func lockDeadRuns(server string, namespaces []string) (held map[string]*sharedfile.Lock, err error) {
	pattern, err := runLockFile(server, namespaces, "*")
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	before, after, _ := strings.Cut(pattern, "*")
	held = map[string]*sharedfile.Lock{}
	for _, file := range files {
		lock, alive := sharedfile.TryLock(file)
		if errors.Is(alive, sharedfile.ErrHeld) {
			continue
		}
		if alive != nil {
			return held, alive
		}
		held[strings.TrimSuffix(strings.TrimPrefix(file, before), after)] = lock
	}
	return held, nil
}

func runLockFile(server string, namespaces []string, run string) (string, error) {
	dir, err := host.StateDir()
	where := strings.Join(append([]string{server}, slices.Sorted(slices.Values(namespaces))...), "\n")
	return filepath.Join(dir, "locks", fmt.Sprintf("target-%x-%s.lock", sha256.Sum256([]byte(where)), run)), err
}
