package namespace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/poll"
)

const (
	renewEvery = leaseDuration / 4
	lookEvery  = 2 * time.Second  // at a Lease of another run
	sayEvery   = 30 * time.Second // that it is waited for
)

// A Holder is a run that uses preassigned namespaces, for those who wait for them.
type Holder struct {
	Run, Host, Command string
	Dead               map[string]bool // ids of runs that are known to be dead, and hold nothing
	Now                Clock           // of the API server
	Say                func(string)
	Lost               func(because string) // a namespace is no longer held; called at most once for each; nil: nobody is told
}

// A Clock tells the time.
type Clock func() time.Time

// An InUseError says that another run holds a namespace.
type InUseError struct{ Namespace, By string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("namespace %s: %s: begin again when it has ended, or wait longer: --wait=1h", e.Namespace, e.By)
}

// A Hold keeps preassigned namespaces for one run, until Release: each has a Lease (coordination.k8s.io/v1) that the run renews. A
// second run in one of them waits for it, as its objects have the same names.
type Hold struct {
	Holder
	client kubernetes.Interface
	names  []string
	stop   context.CancelFunc
	renews sync.WaitGroup
}

// leaseName is the name of the Lease in each namespace; its annotations say where the run is and what began it.
const (
	leaseName         = fixtures.Owner
	hostAnnotation    = "rollcall.local/host"
	commandAnnotation = "rollcall.local/command"
)

// HoldAll holds the namespaces, and waits for those that other runs hold, for as long as wait altogether. After that the error is an
// [InUseError].
func HoldAll(ctx context.Context, client kubernetes.Interface, names []string, wait time.Duration, by Holder) (*Hold, error) {
	h := &Hold{Holder: by, client: client}
	limit := time.Now().Add(wait)
	for _, name := range slices.Sorted(slices.Values(names)) { // in the same order in all runs, so that no two wait for each other
		if err := h.await(ctx, name, limit); err != nil {
			return nil, errors.Join(err, h.release(ctx))
		}
		h.names = append(h.names, name)
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.stop = stop
	for _, name := range h.names {
		h.renews.Go(func() { h.keep(renewing, name) })
	}
	return h, nil
}

// await takes the Lease of a namespace, until a limit.
func (h *Hold) await(ctx context.Context, name string, limit time.Time) error {
	limited, cancel := context.WithDeadline(ctx, limit)
	defer cancel()
	var said time.Time
	for {
		has, err := h.take(ctx, name)
		if has == "" || err != nil {
			return err
		}
		left := time.Until(limit)
		if left <= 0 || limited.Err() != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return &InUseError{name, has}
		}
		if time.Since(said) >= sayEvery {
			said = time.Now()
			h.Say(fmt.Sprintf("namespace %s: %s; waiting for up to %v", name, has, left.Round(time.Second)))
		}
		poll.Pause(limited, lookEvery)
	}
}

// take takes the Lease of a namespace if no other run holds it, and else says who does.
func (h *Hold) take(ctx context.Context, name string) (has string, err error) {
	leases := h.client.CoordinationV1().Leases(name)
	lease, err := leases.Get(ctx, leaseName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		_, err = leases.Create(ctx, h.lease(name), metav1.CreateOptions{})
	case err == nil && h.has(lease):
		return "", nil
	case err == nil && h.alive(lease):
		return usedBy(lease), nil
	case err == nil:
		ours := h.lease(name)
		ours.ResourceVersion = lease.ResourceVersion
		_, err = leases.Update(ctx, ours, metav1.UpdateOptions{})
	}
	if apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) {
		return "another run takes it", nil
	}
	if err != nil {
		return "", fmt.Errorf("namespace %s: hold it by a Lease: %w", name, err)
	}
	return "", nil
}

// lease returns the Lease that holds a namespace from now on.
func (h *Hold) lease(name string) *coordinationv1.Lease {
	now := metav1.NewMicroTime(h.Now())
	meta := fixtures.Destination{Namespace: name, Run: fixtures.Run{ID: h.Run, Expires: now.Add(expiry)}}.Object(leaseName)
	meta.Annotations[hostAnnotation], meta.Annotations[commandAnnotation] = h.Host, h.Command
	return &coordinationv1.Lease{ObjectMeta: meta, Spec: coordinationv1.LeaseSpec{
		HolderIdentity: new(h.Run), LeaseDurationSeconds: new(int32(leaseDuration / time.Second)), AcquireTime: &now, RenewTime: &now,
	}}
}

func (h *Hold) has(l *coordinationv1.Lease) bool {
	return l.Spec.HolderIdentity != nil && *l.Spec.HolderIdentity == h.Run
}

// alive reports whether the holder of a Lease has renewed it in time, and is not known to be dead.
func (h *Hold) alive(l *coordinationv1.Lease) bool {
	return l.Spec.RenewTime != nil && !h.Dead[fixtures.OwnerOf(l).ID] && h.Now().Before(l.Spec.RenewTime.Add(leaseDuration))
}

// usedBy says which run holds a Lease, where, and since when.
func usedBy(l *coordinationv1.Lease) string {
	text := "run " + fixtures.OwnerOf(l).ID + " uses it"
	if host := l.Annotations[hostAnnotation]; host != "" {
		text += " on host " + host
	}
	if l.Spec.AcquireTime != nil {
		text += " since " + l.Spec.AcquireTime.UTC().Format(time.DateTime) + " UTC"
	}
	if command := l.Annotations[commandAnnotation]; command != "" {
		text += " (" + command + ")"
	}
	return text
}

// keep renews the Lease of a namespace until ctx ends, or another has it. An API server that is away is asked again.
func (h *Hold) keep(ctx context.Context, name string) {
	leases := h.client.CoordinationV1().Leases(name)
	for poll.Pause(ctx, renewEvery); ctx.Err() == nil; poll.Pause(ctx, renewEvery) {
		lease, err := leases.Get(ctx, leaseName, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			h.lost(fmt.Sprintf("namespace %s: its Lease was deleted, perhaps by rollcall clean --all", name))
			return
		case err != nil:
		case !h.has(lease):
			h.lost(fmt.Sprintf("namespace %s: %s, as this run could not renew its Lease for %v", name, usedBy(lease), leaseDuration))
			return
		default:
			lease.Spec.RenewTime = new(metav1.NewMicroTime(h.Now()))
			_, _ = leases.Update(ctx, lease, metav1.UpdateOptions{}) // tried again
		}
	}
}

func (h *Hold) lost(because string) {
	if h.Lost != nil {
		h.Lost(because)
	}
}

// Release deletes the Leases.
func (h *Hold) Release(ctx context.Context) error {
	h.stop()
	h.renews.Wait()
	return h.release(ctx)
}

func (h *Hold) release(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	for _, name := range h.names {
		leases := h.client.CoordinationV1().Leases(name)
		lease, failed := leases.Get(ctx, leaseName, metav1.GetOptions{})
		if failed == nil && h.has(lease) {
			failed = leases.Delete(ctx, leaseName, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(lease.UID))})
		}
		if failed != nil && !apierrors.IsNotFound(failed) {
			err = errors.Join(err, fmt.Errorf("namespace %s: release its Lease: %w", name, failed))
		}
	}
	return err
}
