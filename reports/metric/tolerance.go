package metric

import "math"

// A Tolerance is by how much a metric may differ between two runs of the same, when nothing else is known.
type Tolerance struct {
	Abs         float64 // in the metric's unit
	Rel         float64 // of the larger of the two, when that is more
	ZeroIsExact bool    // none is none: there is no absolute tolerance between it and some
}

// At is the tolerance about a value.
func (t Tolerance) At(x float64) float64 { return max(t.Abs, t.Rel*math.Abs(x)) }

// between is the tolerance of two values. It is never less than what the values are uncertain by, nor than how far
// pods and nodes differ within both runs: within the one alone, so that an outlier cannot hide itself.
func (t Tolerance) between(a, b Value) float64 {
	if t.ZeroIsExact && (a.Value == 0 || b.Value == 0) {
		t.Abs = 0
	}
	return max(t.At(a.Value), t.At(b.Value), a.Uncertainty+b.Uncertainty, min(a.Within, b.Within))
}

// ToleranceKnown says whether the tolerance holds for a scenario in which these were its values; changed is that the cluster
// was changed for it. What clients see of nodes that write their rules every 10 s is by chance what it is. And while no pod
// is available rules still route to old ones on purpose, for what pods take to start. A history of enough runs alone knows of both.
func (m Metric) ToleranceKnown(values map[string]Value, changed bool) bool {
	if m.Name == "rule_lag" {
		available, counted := values["min_available"]
		return !changed && !(counted && available.Value == 0)
	}
	return !changed || m.Unit == Pods
}
