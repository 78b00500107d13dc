package rollout

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

// An Editable reads and writes objects of one kind in one namespace, as the typed clients of client-go do.
type Editable[T any] interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (T, error)
	Update(ctx context.Context, object T, options metav1.UpdateOptions) (T, error)
}

// Edit reads an object, changes and writes it, again after a conflict with another writer. It returns the written object.
func Edit[T any](ctx context.Context, objects Editable[T], name string, change func(T)) (written T, err error) {
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		object, err := objects.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(object)
		written, err = objects.Update(ctx, object, metav1.UpdateOptions{})
		return err
	})
	return written, err
}
