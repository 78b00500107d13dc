package try

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/usage"
)

// remove deletes what the record has, the last one first, and ends the record. What cannot be deleted stays in it. APIServices go before
// all else: without the pods behind one, its API cannot be listed, which a namespace that is deleted waits for.
func (t *target) remove(ctx context.Context) error {
	t.record.changes.Lock()
	slices.SortStableFunc(t.record.Objects, func(a, b creation) int { return cmp.Compare(a.deletionRank(), b.deletionRank()) })
	t.record.changes.Unlock()
	var failed []error
	for i, c := range slices.Backward(slices.Clone(t.record.Objects)) {
		if err := t.delete(ctx, c); err != nil {
			failed = append(failed, fmt.Errorf("%s stays: %s", strings.ToLower(c.String()), usage.OneLine(err)))
			continue
		}
		t.record.changes.Lock()
		t.record.Objects = slices.Delete(t.record.Objects, i, i+1) // all before it are still there
		t.record.changes.Unlock()
	}
	return errors.Join(append(failed, t.record.end())...)
}

// deletionRank is higher for what is deleted earlier.
func (c creation) deletionRank() int {
	if c.Kind == "APIService" {
		return 1
	}
	return 0
}

// end removes the record from the disk if nothing is left in it, and unlocks it.
func (r *record) end() (err error) {
	switch {
	case len(r.Objects) > 0:
		err = r.save()
	case r.file != "":
		err = os.Remove(r.file)
	}
	if errors.Is(err, os.ErrNotExist) { // nothing was to be created
		err = nil
	}
	if r.held != nil {
		err = errors.Join(err, r.held.Release())
	}
	return err
}

// delete deletes an object, if the cluster has it and it is still the one that was created.
func (t *target) delete(ctx context.Context, c creation) error {
	all, err := t.find(ctx, c)
	for _, live := range all {
		if !t.record.created(live, c) {
			continue
		}
		api, unknown := t.api(manifest.Object{Unstructured: live})
		if unknown != nil {
			return unknown
		}
		gone := api.Delete(ctx, live.GetName(), metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground),
			Preconditions: &metav1.Preconditions{UID: new(live.GetUID())}})
		if gone != nil && !apierrors.IsNotFound(gone) && !apierrors.IsConflict(gone) { // Conflict: another one was made meanwhile
			err = errors.Join(err, gone)
		}
		if live.GetKind() == "PersistentVolume" {
			err = errors.Join(err, t.emptyVolume(ctx, live))
		}
	}
	return err
}

// find returns the object with the name of a creation or, if the API server was to choose it, all in its namespace.
func (t *target) find(ctx context.Context, c creation) ([]*unstructured.Unstructured, error) {
	api, err := t.api(c.object())
	if meta.IsNoMatchError(err) { // its CustomResourceDefinition is gone, and all of its kind
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if c.Name != "" {
		live, err := api.Get(ctx, c.Name, metav1.GetOptions{})
		if err != nil {
			return nil, ignoreNotFound(err)
		}
		return []*unstructured.Unstructured{live}, nil
	}
	list, err := api.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	var all []*unstructured.Unstructured
	for i := range list.Items {
		all = append(all, &list.Items[i])
	}
	return all, nil
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
