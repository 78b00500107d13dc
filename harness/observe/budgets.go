package observe

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/rollcall/harness/evidence"
)

// A budgetTracker notes how many pods of the app may be disrupted, by each PodDisruptionBudget.
type budgetTracker struct {
	*journal
	pods *podTracker
	last map[string]budget // by name
}

type budget struct {
	allowed int
	limit   string
}

func newBudgetTracker(j *journal, pods *podTracker) *budgetTracker {
	return &budgetTracker{j, pods, map[string]budget{}}
}

func (t *budgetTracker) see(b *policyv1.PodDisruptionBudget) {
	is := budget{int(b.Status.DisruptionsAllowed), limitOf(b.Spec)}
	t.change(func() {
		was, known := t.last[b.Name]
		if known && was == is || !known && !t.protects(b) {
			return
		}
		t.last[b.Name] = is
		t.note(evidence.Event{Kind: evidence.BudgetAllows, Object: b.Name, Count: is.allowed, Detail: is.limit})
	})
}

func (t *budgetTracker) lose(b *policyv1.PodDisruptionBudget) {
	t.change(func() {
		if _, known := t.last[b.Name]; known {
			delete(t.last, b.Name)
			t.note(evidence.Event{Kind: evidence.BudgetAllows, Object: b.Name, Detail: "deleted"})
		}
	})
}

// protects reports whether a budget is about pods of the app, or may be since none was seen yet.
func (t *budgetTracker) protects(b *policyv1.PodDisruptionBudget) bool {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	if err != nil {
		return false
	}
	for _, p := range t.pods.samples {
		if selector.Matches(labels.Set(p.Labels)) {
			return true
		}
	}
	return len(t.pods.samples) == 0
}

// limitOf returns the limit of a budget, which has one of two fields.
func limitOf(spec policyv1.PodDisruptionBudgetSpec) string {
	switch {
	case spec.MinAvailable != nil:
		return "minAvailable " + spec.MinAvailable.String()
	case spec.MaxUnavailable != nil:
		return "maxUnavailable " + spec.MaxUnavailable.String()
	default:
		return "no limit"
	}
}
