package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"rollcall/harness/lock"
	"rollcall/harness/usage"
)

// StateDir is where Rollcall keeps locks, cluster state and the build folders of node images:
// "rollcall" in the user's cache directory.
func StateDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("host: %w", err)
	}
	return filepath.Join(cache, "rollcall"), nil
}

// Ensure makes this host able to run kind clusters, as the package comment says, and prints to w
// what it does. Run again it changes nothing. A host that cannot be made able is a [usage.Error].
func Ensure(ctx context.Context, w io.Writer) (f Facts, err error) {
	state, err := StateDir()
	if err != nil {
		return Facts{}, err
	}
	held, err := lock.Acquire(ctx, filepath.Join(state, "locks", "host.lock"), func(holder string) {
		fmt.Fprintf(w, "waiting for the host set-up of %s\n", holder)
	})
	if err != nil {
		return Facts{}, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()

	f = Probe(ctx)
	if !f.Engine.Running {
		if err := startEngine(ctx, w, f); err != nil {
			return f, err
		}
		f = Probe(ctx)
	}
	program, err := buildWrapper(ctx, state)
	if err != nil {
		return f, err
	}
	if f.Engine.Privileged, f.Engine.Refusal, err = probePrivileged(ctx, program); err != nil {
		return f, err
	}
	if f.Engine.Privileged == Refusing && len(f.MissingCaps) > 0 {
		if !f.Engine.Ours && os.Getenv("ROLLCALL_HOST_SETUP") != "1" {
			return f, refuseForeignEngine(f)
		}
		if err := registerWrapper(ctx, w, program); err != nil {
			return f, err
		}
		if f.Engine.Privileged, f.Engine.Refusal, err = probePrivileged(ctx, program); err != nil {
			return f, err
		}
	}
	if f.Engine.Privileged == Refusing {
		return f, usage.New("container engine", "a privileged container does not start: "+f.Engine.Refusal, "kind needs one; see its log")
	}
	return f, nil
}
