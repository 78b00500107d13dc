package harness

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"rollcall/harness/host"
	"rollcall/harness/lock"
)

// A run on somebody else's cluster holds a lock on this host while it lives, so that the next one knows whether what it
// finds there is of a dead one, or of one that could not take it away.

func lifeFile(server, id string) (string, error) {
	dir, err := host.StateDir()
	return filepath.Join(dir, "locks", fmt.Sprintf("target-%x-%s.lock", sha256.Sum256([]byte(server)), id)), err
}

// live holds the lock of a run on a server.
func live(server, id string) (*lock.Lock, error) {
	file, err := lifeFile(server, id)
	if err != nil {
		return nil, err
	}
	return lock.Try(file)
}

// deadRuns are the ids of runs of this host on a server that did not come to their end.
func deadRuns(server string) (map[string]bool, error) {
	pattern, err := lifeFile(server, "*")
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	before, after, _ := strings.Cut(pattern, "*")
	dead := map[string]bool{}
	for _, file := range files {
		held, err := lock.Try(file)
		if errors.Is(err, lock.ErrHeld) {
			continue
		}
		if err == nil {
			err = held.Release()
		}
		if err != nil {
			return nil, err
		}
		dead[strings.TrimSuffix(strings.TrimPrefix(file, before), after)] = true
	}
	return dead, nil
}
