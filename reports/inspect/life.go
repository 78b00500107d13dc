package inspect

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// A Life is a pod, as a row of a table.
type Life struct{ timeline.Pod }

// Lives lists the pods that were seen, by version, in the order in which they came. It leaves out pods that are not rolled out and never
// were behind the Service, such as the targets of control lanes.
func Lives(tl timeline.Timeline) (lives []Life) {
	for _, p := range tl.Pods {
		rolled := p.Version == tl.Old || p.Version == tl.New
		behind := func(e evidence.Event) bool { return e.Kind == evidence.EndpointReady || e.Kind == evidence.RuleAdded }
		if len(p.Steps) > 0 && (rolled || slices.ContainsFunc(p.Events, behind)) {
			lives = append(lives, Life{p})
		}
	}
	order := ByAge(tl)
	slices.SortStableFunc(lives, func(a, b Life) int {
		return cmp.Or(order(a.Version, b.Version), cmp.Compare(a.Steps[0].At, b.Steps[0].At), cmp.Compare(a.Pod.Pod, b.Pod.Pod))
	})
	return lives
}

// ByAge returns the order of versions: the old one, the new one, then others by name.
func ByAge(tl timeline.Timeline) func(a, b string) int {
	rank := func(version string) int { return slices.Index([]string{tl.New, tl.Old}, version) }
	return func(a, b string) int { return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(a, b)) }
}

// LifeColumns has the columns of a table of lives that come after the pod itself.
var LifeColumns = []struct {
	Title string
	kinds []evidence.EventKind
}{
	{"ready", []evidence.EventKind{evidence.PodReady}},
	{"deletion seen", []evidence.EventKind{evidence.PodDeleting}},
	{"endpoint not ready", []evidence.EventKind{evidence.EndpointNotReady, evidence.EndpointGone}},
	{"rules gone", []evidence.EventKind{evidence.RuleGone}},
	{"SIGTERM", []evidence.EventKind{evidence.PodSigterm}},
	{"exited", []evidence.EventKind{evidence.PodExited, evidence.PodKilled}},
	{"gone", []evidence.EventKind{evidence.PodGone}},
}

// When returns a cell for each of the columns: the first time of the first of its kinds that happened, and how many times more; for rules,
// the first and the last node's time.
func (l Life) When(write func(time.Duration) string) []string {
	cells := make([]string, len(LifeColumns))
	for i, column := range LifeColumns {
		for _, kind := range column.kinds {
			at := l.All(kind)
			switch {
			case len(at) == 0:
				continue
			case kind == evidence.RuleGone && len(at) > 1:
				cells[i] = write(at[0].At) + " to " + write(at[len(at)-1].At)
			case len(at) > 1:
				cells[i] = write(at[0].At) + " and " + phrase.Count(len(at)-1, "time") + " more"
			default:
				cells[i] = write(at[0].At)
			}
			break
		}
	}
	return cells
}

// Short returns a pod's name without what it shares with others of its ReplicaSet.
func Short(pod string) string { return pod[strings.LastIndexByte(pod, '-')+1:] }
