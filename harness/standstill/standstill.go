// Package standstill finds out why the pods of a workload do not get ready, and whether waiting helps.
package standstill

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/rollcall/harness/observe"
)

// A Standstill finds out whether a rollout cannot end by waiting: nothing of the app or the nodes changes any more, and the obstacle to
// its pods stays until somebody removes it.
type Standstill struct {
	// Uncreated reports whether it is known that nobody creates an object that is missing, such as Secret web-tls; nil: that is not known.
	Uncreated func(kind, name string) bool

	seen      *observe.Objects
	selector  labels.Selector
	workloads []string          // names
	before    map[string]string // nodes that were unfit before the rollout, and why

	is      string                 // the pods and the nodes, as last seen
	changed time.Time              // when is changed last
	away    time.Time              // when a node was last seen unfit that was not before
	ending  time.Time              // when a pod was last seen terminating
	exits   map[part]int           // how often containers had exited when their pods were last seen ready
	met     map[sighting]time.Time // since when each obstacle has been there
	refused int                    // how many pods had been rejected when nothing changed any more; -1: something does
}

// A sighting is an obstacle of a pod, however often and with which message it is met.
type sighting struct {
	part
	kind Kind
}

// stillFor is how long nothing may change before it counts as a standstill. By then controllers have reacted to the last change: the
// scheduler tries a pod again, after a pod ended or a node came, within a backoff of 10 s (pkg/scheduler/apis/config/v1/defaults.go,
// v1.37), and an autoscaler looks for pods without a node every 10 s (cluster-autoscaler, --scan-interval) and reports the new node.
const stillFor = 30 * time.Second

// New looks at the rollout of workloads and of the pods that a selector selects. It has to be called before the rollout.
func New(seen *observe.Objects, selector labels.Selector, workloads ...string) *Standstill {
	s := &Standstill{seen: seen, selector: selector, workloads: workloads, before: Unfit(seen.Nodes()), refused: -1}
	s.noteExits(seen.Pods(selector))
	return s
}

// Look returns the obstacle that says most about why the pods are not ready: one that is there for good, if any is. The zero Obstacle says
// that none is known. Call it every few seconds. An obstacle is there for good less than a minute after it came, if nothing else changes.
func (s *Standstill) Look() Obstacle {
	pods, events := s.seen.Pods(s.selector), s.seen.Events()
	s.note(pods, s.seen.Nodes())
	first := s.ofPods(viewOf(pods, events, s.exits))
	if first.ForGood {
		return first
	}
	refusals := s.refusals(events)
	if first.Kind == "" {
		first = refusals.last
	}
	if !s.still(false) {
		return first
	}
	// A controller doubles its backoff with each try (client-go, DefaultTypedControllerRateLimiter) and may not have tried since the
	// last change: only a later rejection counts.
	if s.refused >= 0 && refusals.count > s.refused {
		refusals.rejected.ForGood = true
		return refusals.rejected
	}
	s.refused = refusals.count
	if first.Overdue = s.overdue(); first.Overdue != "" {
		first.ForGood = true
	}
	return first
}

// ofPods returns the first obstacle of the pods that is there for good, or else the first.
func (s *Standstill) ofPods(v view) (first Obstacle) {
	met := map[sighting]time.Time{}
	for _, r := range rows {
		for _, pod := range v.pods {
			o, found := r.of(v, pod)
			if !found {
				continue
			}
			at := sighting{part{pod.UID, o.Container}, r.kind}
			if met[at] = s.met[at]; met[at].IsZero() {
				met[at] = time.Now()
			}
			o.ForGood = o.ForGood && s.stays(r, o, met[at])
			if first.Kind == "" || o.ForGood && !first.ForGood {
				first = o
			}
		}
	}
	s.met = met
	return first
}

// stays reports whether an obstacle has been there for so long that it stays.
func (s *Standstill) stays(r row, o Obstacle, since time.Time) bool {
	if o.Absent.Name != "" && o.Absent.Key == "" && s.Uncreated != nil && s.Uncreated(o.Absent.Kind, o.Absent.Name) {
		return true
	}
	return s.still(r.alone) && time.Since(since) >= r.after
}

// still reports whether nothing has changed for so long that it is a standstill. With alone, a pod that is terminating is no change.
func (s *Standstill) still(alone bool) bool {
	since := latest(s.changed, s.away)
	if !alone {
		since = latest(since, s.ending)
	}
	return time.Since(since) >= stillFor
}

// note takes in the pods and the nodes.
func (s *Standstill) note(pods []*corev1.Pod, nodes []*corev1.Node) {
	now := time.Now()
	s.noteExits(pods)
	var all []string
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil && !held(pod) {
			s.ending = now
		}
		all = append(all, fmt.Sprint(pod.UID, pod.Name, pod.Spec.NodeName, observe.Ready(pod)))
	}
	for _, node := range nodes {
		if lacking(node) != "" && s.before[node.Name] == "" {
			s.away = now
		}
		all = append(all, node.Name)
	}
	slices.Sort(all)
	if is := strings.Join(all, " "); is != s.is {
		s.is, s.changed = is, now
	}
	if latest(s.changed, s.away, s.ending).Equal(now) {
		s.refused = -1
	}
}

// noteExits takes in how often containers have exited. Those of a pod that is ready do not keep it from getting ready.
func (s *Standstill) noteExits(pods []*corev1.Pod) {
	exits := map[part]int{}
	for _, pod := range pods {
		for _, c := range statusesOf(pod) {
			is := part{pod.UID, c.Name}
			if exits[is] = s.exits[is]; observe.Ready(pod) {
				exits[is] = exitsOf(c)
			}
		}
	}
	s.exits = exits
}
