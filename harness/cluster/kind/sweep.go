package kind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"rollcall/harness/command"
	"rollcall/harness/lock"
)

// Sweep removes the clusters that killed runs of this user left: ours by their network and state
// folder, not kept, and locked by nobody. With all, it removes kept ones too. It says to w what it removes.
func Sweep(ctx context.Context, w io.Writer, all bool) error {
	out, err := command.Run(ctx, "docker ps --all --filter network=%s --format {{.Labels}}", Network)
	if err != nil {
		return fmt.Errorf("cluster: list node containers: %w", err)
	}
	names := map[string]bool{}
	for _, label := range strings.FieldsFunc(out, func(r rune) bool { return r == ',' || r == '\n' }) {
		if name, ok := strings.CutPrefix(label, clusterLabel+"="); ok {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := sweep(ctx, w, name, all); err != nil {
			return err
		}
	}
	return nil
}

func sweep(ctx context.Context, w io.Writer, name string, all bool) error {
	state, lockFile, err := places(name)
	if err != nil {
		return err
	}
	held, err := lock.Try(lockFile)
	if errors.Is(err, lock.ErrHeld) {
		return nil
	}
	if err != nil {
		return err
	}
	_, foreign := os.Stat(state) // another user's Rollcall keeps its state elsewhere
	if _, kept := os.Stat(noteFile(state)); foreign != nil || kept == nil && !all {
		return held.Release()
	}
	fmt.Fprintf(w, "removing cluster %s, which nobody uses\n", name)
	r, err := startReaper(name, state, held)
	if err == nil {
		err = r.remove()
	}
	return errors.Join(err, held.Release())
}

func removeNodes(ctx context.Context, name string) error {
	ids, err := containers(ctx, name, true)
	if err != nil || len(ids) == 0 {
		return err
	}
	_, err = command.Run(ctx, "docker rm --force --volumes %s", strings.Join(ids, " "))
	return err
}
