package harness

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func TestChanges(t *testing.T) {
	over := errors.New("the recording is over")
	ended, end := context.WithCancelCause(t.Context())
	end(over)
	for _, row := range []struct {
		sentence string
		ctx      context.Context
		last     func(*watch.FakeWatcher)
		reads    int // stops after this many; 0: never
		want     string
	}{
		{"a caller that has seen enough goes on", t.Context(), (*watch.FakeWatcher).Stop, 1, ""},
		{"a watch that ends is an error", t.Context(), (*watch.FakeWatcher).Stop, 0, "ended early"},
		{"so is an event of another type of object", t.Context(), func(w *watch.FakeWatcher) { w.Error(&metav1.Status{}) }, 0, "ended early"},
		{"if the recording ends, its cause is the error", ended, (*watch.FakeWatcher).Stop, 0, over.Error()},
	} {
		from := watch.NewFakeWithChanSize(2, false)
		from.Add(&corev1.Pod{})
		row.last(from)
		seen := 0
		err := (&Steps{}).Take(row.ctx, func(ctx context.Context, _ *Steps) {
			for kind := range Changes[*corev1.Pod](ctx, from) {
				if seen++; kind != watch.Added || seen == row.reads {
					return
				}
			}
		})
		if seen != 1 || (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %d seen, %v, want %q", row.sentence, seen, err, row.want)
		}
	}
}
