package timeline

import (
	"cmp"
	"slices"
	"time"
)

// A Cause is why some requests got no good reply: how far they came, in which condition the pods were that they went to, since which
// change, and who can mend that.
type Cause struct {
	Stage     Stage
	Condition PodCondition
	Trigger   Trigger
	Owner     Owner
	Since     Change   // the first that triggered it; zero for [TriggerNothing] and [TriggerUnknown]
	Hits      []Hit    // by time sent
	Lanes     []string // sorted
	Pods      []string // that the requests went to, sorted; empty: none, or not known
	Proofs    []Proof  // how all of this is known, sorted
	Recovered bool     // each of the pods gave a good reply later
	// Ready is how many pods were ready when the first of the requests was sent, if these were refused for being too many for so few pods, and
	// Before how many when the rollout began; 0: they were not.
	Ready, Before int
}

// OnNew reports whether some of the requests were sent on new connections.
func (c Cause) OnNew() bool {
	return slices.ContainsFunc(c.Hits, func(h Hit) bool { return !h.Reused })
}

// First returns when the first of the requests was sent.
func (c Cause) First() time.Duration { return c.Hits[0].Sent }

// Last returns when the last of the requests was sent.
func (c Cause) Last() time.Duration { return c.Hits[len(c.Hits)-1].Sent }

// A causeKey tells causes apart.
type causeKey struct {
	Stage
	PodCondition
	Trigger
}

// Causes lists why requests through the Service failed, the one of most requests first.
func (t Timeline) Causes() []Cause { return t.CausesOn(t.ServiceLanes()) }

// CausesOn lists why requests of some lanes failed, the one of most requests first.
func (t Timeline) CausesOn(lanes []Lane) []Cause {
	requests := t.lostOn(lanes)
	if len(requests) == 0 {
		return nil
	}
	changes := t.happened()
	for _, l := range requests {
		l.since = changes.before(l)
	}
	shareServiceChange(requests)
	t.setPace(requests)
	byKey := map[causeKey]*Cause{}
	for _, l := range requests {
		key := causeKey{l.row.Stage, l.condition, l.since.Trigger}
		c := byKey[key]
		if c == nil {
			c = &Cause{Stage: key.Stage, Condition: key.PodCondition, Trigger: key.Trigger, Owner: l.row.owner(l), Since: l.since,
				Recovered: true}
			if l.tooFew() {
				c.Ready, c.Before = t.readyAt(l.Sent), t.readyAt(t.begun())
			}
			byKey[key] = c
		}
		c.Hits, c.Lanes, c.Proofs = append(c.Hits, l.Hit), append(c.Lanes, l.lane.ID), append(c.Proofs, l.proof())
		if l.pod != nil {
			c.Pods, c.Recovered = append(c.Pods, l.pod.Pod), c.Recovered && t.laterGood(l)
		}
	}
	var all []Cause
	for _, c := range byKey {
		c.Lanes, c.Pods, c.Proofs = distinct(c.Lanes), distinct(c.Pods), distinct(c.Proofs)
		if c.Condition == ConditionReady && c.Trigger == TriggerUnknown && c.Owner == OwnerApp {
			c.Owner = t.ownerUnexplained(*c, lanes)
		}
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(len(b.Hits), len(a.Hits)), cmp.Compare(a.First(), b.First()), cmp.Compare(a.Stage, b.Stage),
			cmp.Compare(a.Condition, b.Condition), cmp.Compare(a.Trigger, b.Trigger))
	})
	return all
}

// ownerUnexplained returns the owner of what ready pods lost since no known change, and not at one pace: of the network, if clients on
// one node alone lost requests to several pods. Connections that break may have been broken anywhere; replies that are late are the
// app's.
func (t Timeline) ownerUnexplained(c Cause, lanes []Lane) Owner {
	var nodes, hit []string
	for _, l := range lanes {
		nodes = append(nodes, l.Node)
		if slices.Contains(c.Lanes, l.ID) {
			hit = append(hit, l.Node)
		}
	}
	switch {
	case len(distinct(hit)) == 1 && len(distinct(nodes)) > 1 && len(c.Pods) > 1:
		return OwnerCluster
	case c.Stage == StageDropped:
		return OwnerUnknown
	default:
		return c.Owner
	}
}

func distinct[T cmp.Ordered](list []T) []T { return slices.Compact(slices.Sorted(slices.Values(list))) }

// An Owner is who can mend a cause. The set is closed.
type Owner string

// The owners.
const (
	OwnerUnknown    Owner = "unknown"
	OwnerClient     Owner = "client"     // the host of a client outside, or its name service
	OwnerCluster    Owner = "cluster"    // nodes, network, kube-proxy and CoreDNS
	OwnerDoor       Owner = "door"       // what stands before the Service
	OwnerManifest   Owner = "manifest"   // of the app: workload, Service, certificate
	OwnerApp        Owner = "app"        // its program
	OwnerDependency Owner = "dependency" // what the app needs
	OwnerOther      Owner = "other-workload"
)
