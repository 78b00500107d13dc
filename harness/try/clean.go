package try

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/verdict/phrase"
)

// Clean deletes what tries that were killed created on a cluster, by the records in the run folders below root, and says so. An object is
// deleted if it has the UID that was recorded and the annotation of its run. If no UID was recorded any more, the annotation decides alone.
func Clean(ctx context.Context, c cluster.Cluster, say func(string), root string) error {
	names, err := fs.Glob(os.DirFS(root), path.Join("*", createdFiles))
	if err != nil || len(names) == 0 {
		return err
	}
	t, err := newTarget(c, nil, say)
	if err != nil {
		return err
	}
	on := identityOf(ctx, c)
	var failed []error
	for _, name := range names {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := t.cleanRun(ctx, on, file); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", file, err))
		}
	}
	return errors.Join(failed...)
}

// cleanRun deletes what the record of a killed try has, if it is about this cluster, and waits until that is gone.
func (t *target) cleanRun(ctx context.Context, on identity, file string) error {
	held, err := sharedfile.TryLock(file + ".lock")
	alive := errors.Is(err, sharedfile.ErrHeld)
	if err != nil && !alive {
		return err
	}
	r := &record{file: file, held: held}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	gone := errors.Is(err, fs.ErrNotExist) // the try came to its end meanwhile
	if err == nil && alive && r.Cluster.same(on) {
		t.say(fmt.Sprintf("%s: the try of %s is under way: what it created is left alone", on.Name, filepath.Dir(file)))
	}
	switch {
	case alive:
		return nil
	case gone:
		return held.Release()
	case err != nil || !r.Cluster.same(on):
		return errors.Join(err, held.Release())
	}
	var names []string
	for _, of := range r.Objects {
		names = append(names, of.String())
	}
	t.say(fmt.Sprintf("%s: deleting what the try of %s left: %s", on.Name, filepath.Dir(file), phrase.Cut(strings.Join(names, ", "), 400)))
	t.record = r
	left := slices.Clone(r.Objects)
	if err := t.remove(ctx); err != nil {
		return err
	}
	return t.awaitGone(ctx, left)
}

// awaitGone waits until the cluster has none of the objects that were created.
func (t *target) awaitGone(ctx context.Context, left []creation) error {
	ctx, cancel := context.WithTimeoutCause(ctx, cleanTimeout, fmt.Errorf("not gone after %v", cleanTimeout))
	defer cancel()
	return poll.Until(ctx, time.Second, func() (bool, error) {
		var unseen error
		left = slices.DeleteFunc(left, func(of creation) bool {
			there, err := t.find(ctx, of)
			unseen = errors.Join(unseen, err)
			return err == nil && !slices.ContainsFunc(there, func(live *unstructured.Unstructured) bool { return t.record.created(live, of) })
		})
		return len(left) == 0, unseen
	})
}
