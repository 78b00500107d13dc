package manifest

import (
	"cmp"
	"math"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/manifest/chart"
)

// readChart reads what the chart renders, in the order in which Helm creates it.
func (r *reader) readChart() error {
	files, err := chart.Chart{Path: r.Chart, Values: r.Values, Namespace: cmp.Or(r.Namespace, metav1.NamespaceDefault),
		KubeVersion: cmp.Or(r.KubeVersion, kube.Default)}.Render()
	if err != nil {
		return err
	}
	before := len(r.objects)
	for _, f := range files {
		r.add(source{file: f.Name, lines: f.Lines}, f.Text)
	}
	slices.SortStableFunc(r.objects[before:], asHelm)
	return nil
}

// asHelm compares two objects of a chart in the order in which Helm creates them: what crds/ has is first, and hooks, which have an order
// of their own, are last.
func asHelm(a, b Object) int {
	rank := func(o Object) int {
		_, hook := HookOf(o)
		switch {
		case !o.Rendered():
			return -1
		case hook:
			return math.MaxInt
		default:
			return chart.Rank(o.GetKind())
		}
	}
	return cmp.Compare(rank(a), rank(b))
}

// named returns the remedy for a chart that was given as a manifest.
func named(chart string) string { return "write --chart=" + chart }
