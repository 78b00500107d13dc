// Package edit changes objects that live in a cluster.
package edit

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

// A Client reads and writes objects of one kind in one namespace; those of client-go's typed clients do.
type Client[T any] interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (T, error)
	Update(ctx context.Context, object T, options metav1.UpdateOptions) (T, error)
}

// Live changes an object as it is now, and again if a controller wrote to it in between. It returns what was written.
func Live[T any](ctx context.Context, objects Client[T], name string, change func(T)) (written T, err error) {
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
