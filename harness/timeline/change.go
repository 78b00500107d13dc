package timeline

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// ChangesSince counts the changes since a moment of what the app's clients depend on, as far as they were seen and not only told: its
// pods, endpoints, Service and workload, nodes that its pods or clients are on, what runs the cluster, and what replies show. Without a
// cluster, that --until failed at first counts as well.
func (t Timeline) ChangesSince(begun time.Duration) (n int) {
	if _, before := t.facts[evidence.RolloutUnderWay]; !before { // otherwise they may be of that rollout
		n = since(t.changes, begun)
	}
	for _, s := range t.steps {
		if s.At >= begun && t.concernsClients(s) {
			n++
		}
	}
	n += t.newVersions(begun)
	for _, whole := range []string{evidence.AppChanged, evidence.SystemChanged} {
		if _, changed := t.facts[whole]; changed && (whole != evidence.AppChanged || !t.OnDelete) {
			n++
		}
	}
	if _, turned := t.facts[evidence.UntilTurned]; turned && t.HostAlone {
		n++
	}
	return n
}

// newVersions counts the versions that replied only since a moment, if another did before.
func (t Timeline) newVersions(since time.Duration) int {
	all := AllReplies(t.ServiceLanes())
	later := slices.DeleteFunc(slices.Clone(all), func(r Replies) bool { return r.First < since })
	if len(later) == len(all) {
		return 0
	}
	return len(later)
}

// OthersSince lists the changes since a moment that do not concern clients of the app: of other pods, and of nodes.
func (t Timeline) OthersSince(begun time.Duration) (said []string) {
	for _, s := range t.steps {
		if s.At >= begun && (s.Node != "" || s.Kind == evidence.AutoscalerChanged) && s.Kind != evidence.Step && !t.concernsClients(s) && !slices.Contains(said, s.String()) {
			said = append(said, s.String())
		}
	}
	ended := slices.DeleteFunc(slices.Clone(t.others), func(e evidence.Event) bool { return e.At < begun })
	if n := len(ended); n > 0 {
		said = append(said, fmt.Sprintf("pods of other workloads ended: %d", n))
	}
	return said
}

// Blocking lists the PodDisruptionBudgets that, as last seen, allow no eviction of a pod of the app, such as "web (minAvailable 1)".
func (t Timeline) Blocking() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(t.budgets)) {
		if b := t.budgets[name]; b.Count == 0 && b.Detail != evidence.Deleted {
			names = append(names, fmt.Sprintf("%s (%s)", name, b.Detail))
		}
	}
	return names
}

// since counts the times that are not before a moment.
func since(times []time.Duration, begun time.Duration) (n int) {
	for _, at := range times {
		if at >= begun {
			n++
		}
	}
	return n
}

// concernsClients reports whether a step, which the recorder saw by itself, changes what clients of the app depend on: a name, a
// certificate, CoreDNS, or a node of theirs or of the app. A node that is only cordoned goes on as before.
func (t Timeline) concernsClients(s Step) bool {
	switch s.Kind {
	case evidence.NameChanged, evidence.CertificateSeen:
		return true
	case evidence.SystemPodDeleting, evidence.SystemPodReady:
		return systemTriggers[s.Of] == TriggerDNS || t.onNodeOfOurs(s)
	case evidence.NodeUnready, evidence.NodeChanged:
		return t.onNodeOfOurs(s)
	default:
		return false
	}
}

// onNodeOfOurs reports whether a step is on a node that clients or pods of the app are on.
func (t Timeline) onNodeOfOurs(s Step) bool {
	return slices.ContainsFunc(t.Lanes, func(l Lane) bool { return s.Node == l.Node || s.Node == l.TargetNode }) ||
		slices.ContainsFunc(t.Pods, func(p Pod) bool { return s.Node == p.Node })
}
