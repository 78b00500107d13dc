package namespace

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/usage"
)

// An Extent says what a sweep deletes, and what it says.
type Extent int

// Extents.
const (
	BeforeRun  Extent = iota // what runs left that are over; an error if a preassigned namespace is not empty then
	Leftovers                // the same, for a person: it says what it leaves too, and waits until the rest is gone
	Everything               // of all runs, even of one that is still under way, and what names no run
)

// A Sweep deletes what runs left in a cluster: the namespaces that they created, or their objects in preassigned ones. A run is over if it
// is known to be dead, or if what it left has expired.
type Sweep struct {
	Cluster     string // name, for messages
	Client      kubernetes.Interface
	Out         io.Writer
	Extent      Extent
	Dead        map[string]bool // ids of runs that are known to be dead
	Preassigned []string        // namespaces; empty: runs create their own
	Observers   bool            // each preassigned namespace has one for observers
	Now         Clock           // of the API server
}

// Run sweeps. The caller holds the preassigned namespaces, unless everything is deleted.
func (s Sweep) Run(ctx context.Context) error {
	for _, name := range s.Preassigned {
		if err := s.preassigned(ctx, name); err != nil {
			return err
		}
	}
	if len(s.Preassigned) > 0 {
		return nil
	}
	list, err := s.Client.CoreV1().Namespaces().List(ctx, fixtures.Ours())
	if err != nil && s.Extent != BeforeRun {
		return usage.New("context "+s.Cluster, err.Error(),
			"name the preassigned namespaces: --namespace=NAME; or bind the ClusterRole of fixtures/staging/generated")
	}
	if err != nil {
		return err
	}
	deleted := 0
	for _, n := range list.Items {
		if n.DeletionTimestamp != nil && s.Extent == BeforeRun {
			continue
		}
		takes, because := s.takes(n)
		if !takes {
			s.say("%s: leaving namespace %s%s", s.Cluster, n.Name, because)
			continue
		}
		fmt.Fprintf(s.Out, "%s: deleting namespace %s%s\n", s.Cluster, n.Name, because)
		if err := (Lease{Name: n.Name, uid: n.UID}).Cleanup(ctx, s.Client, false); err != nil {
			return err
		}
		deleted++
	}
	if s.Extent == BeforeRun {
		return nil
	}
	fmt.Fprintf(s.Out, "%s: %d namespaces of Rollcall's were deleted\n", s.Cluster, deleted)
	return waitGone(ctx, s.Client, fixtures.Ours(), func(n corev1.Namespace) bool { takes, _ := s.takes(n); return takes })
}

// say prints what a person wants to know who asked for the sweep.
func (s Sweep) say(format string, args ...any) {
	if s.Extent != BeforeRun {
		fmt.Fprintf(s.Out, format+"\n", args...)
	}
}

// takes reports whether to delete a namespace, and why or why not. One without our prefix is not ours, whatever its labels say.
func (s Sweep) takes(n corev1.Namespace) (takes bool, because string) {
	of := fixtures.OwnerOf(&n)
	switch {
	case !strings.HasPrefix(n.Name, prefix):
		return false, ": it has Rollcall's label, but not a name that Rollcall gives"
	case of.ID == "":
		return s.Extent == Everything, ", which names no run" + s.orAll()
	default:
		over, until := s.Over(of)
		return over, fmt.Sprintf(", of run %s, which %s", of.ID, until)
	}
}

// Over reports whether a run's objects can go, and says until when it needs them.
func (s Sweep) Over(of fixtures.Run) (over bool, until string) {
	when := of.Expires.UTC().Format(time.DateTime) + " UTC"
	switch now := s.Now(); {
	case s.Dead[of.ID]:
		return true, "died on this host"
	case now.After(of.Expires):
		return true, "needed it until " + when
	case s.Extent == Everything:
		return true, "needs it until " + when
	default:
		return false, "needs it until " + when + s.orAll()
	}
}

func (s Sweep) orAll() string {
	if s.Extent == Leftovers {
		return "; --all takes it too"
	}
	return ""
}

// preassigned deletes our objects in a preassigned namespace: all, or those of runs that are over. A run is an error whose objects stay
// there: it had the namespace to itself.
func (s Sweep) preassigned(ctx context.Context, name string) error {
	found, err := s.runsIn(ctx, name)
	if err != nil {
		return usage.New("namespace "+name, usage.OneLine(err), "choose a namespace that exists and was assigned to this user: --namespace=NAME")
	}
	if s.Extent == Everything {
		fmt.Fprintf(s.Out, "namespace %s: deleting %d objects of Rollcall's and what belongs to them\n", name, found.count())
		if err := s.clean(ctx, name, ""); err != nil {
			return err
		}
		err := s.Client.CoordinationV1().Leases(name).Delete(ctx, leaseName, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	for run := range s.Dead { // of which there may be objects that cannot be listed, such as a Secret
		if found[run] == nil {
			if err := s.clean(ctx, name, run); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		left := found[id]
		over, until := s.Over(fixtures.Run{ID: id, Expires: left.expires})
		what := fmt.Sprintf("%d objects of run %s, which %s", left.count, id, until)
		if id == "" {
			over, what = false, fmt.Sprintf("%d objects that name no run", left.count)
		}
		switch {
		case over:
			fmt.Fprintf(s.Out, "namespace %s: deleting %s\n", name, what)
			if err := s.clean(ctx, name, id); err != nil {
				return err
			}
		case s.Extent == Leftovers:
			s.say("namespace %s: leaving %s", name, what)
		default:
			return usage.New("namespace "+name, "it has "+what, "if that run is over: rollcall clean --all with the same --context and --namespace")
		}
	}
	return nil
}

// clean deletes the objects of a run in a preassigned namespace; of all runs if its id is empty.
func (s Sweep) clean(ctx context.Context, name, run string) error {
	return Lease{Name: name, Preassigned: true, Run: fixtures.Run{ID: run}}.Cleanup(ctx, s.Client, s.Observers)
}

// remains are the objects that runs left in a namespace, by their ids; under the empty id those that name no run.
type remains map[string]*remaining

type remaining struct {
	count   int
	expires time.Time // the latest
}

func (r remains) count() (n int) {
	for _, left := range r {
		n += left.count
	}
	return n
}

// runsIn lists the objects of Rollcall's in a namespace, of the kinds that every run may list.
func (s Sweep) runsIn(ctx context.Context, name string) (remains, error) {
	found, ours := remains{}, fixtures.Ours()
	for _, list := range []func() (runtime.Object, error){
		func() (runtime.Object, error) { return s.Client.CoreV1().Pods(name).List(ctx, ours) },
		func() (runtime.Object, error) { return s.Client.CoreV1().Services(name).List(ctx, ours) },
		func() (runtime.Object, error) { return s.Client.AppsV1().Deployments(name).List(ctx, ours) },
		func() (runtime.Object, error) { return s.Client.AppsV1().StatefulSets(name).List(ctx, ours) },
	} {
		listed, err := list()
		if err == nil {
			err = meta.EachListItem(listed, func(object runtime.Object) error {
				about, err := meta.Accessor(object)
				if err == nil {
					found.add(fixtures.OwnerOf(about))
				}
				return err
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (r remains) add(of fixtures.Run) {
	if r[of.ID] == nil {
		r[of.ID] = &remaining{}
	}
	left := r[of.ID]
	left.count++
	if of.Expires.After(left.expires) {
		left.expires = of.Expires
	}
}
