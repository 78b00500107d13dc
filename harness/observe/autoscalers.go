package observe

import (
	"fmt"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/evidence"
)

// An autoscalerTracker notes changes of the HorizontalPodAutoscalers of the namespace.
type autoscalerTracker struct {
	*specTracker[autoscalingv2.HorizontalPodAutoscalerSpec]
}

func newAutoscalerTracker(j *journal) autoscalerTracker {
	return autoscalerTracker{newSpecTracker(j, evidence.AutoscalerChanged, autoscalerChanges)}
}

func (t autoscalerTracker) see(a *autoscalingv2.HorizontalPodAutoscaler, existed bool) {
	t.change(func() { t.specTracker.see(a.Name, a.Spec, existed) })
}

func (t autoscalerTracker) lose(a *autoscalingv2.HorizontalPodAutoscaler) {
	t.change(func() { t.specTracker.lose(a.Name) })
}

// autoscalerChanges says what differs between two specs of a HorizontalPodAutoscaler. Without minReplicas it is 1 (autoscaling/v2).
func autoscalerChanges(was, is autoscalingv2.HorizontalPodAutoscalerSpec) []string {
	scales := func(to autoscalingv2.CrossVersionObjectReference) string { return to.Kind + "/" + to.Name }
	return changed(
		field{"minReplicas", ptr.Deref(was.MinReplicas, 1), ptr.Deref(is.MinReplicas, 1)},
		field{"maxReplicas", was.MaxReplicas, is.MaxReplicas},
		field{"scaleTargetRef", scales(was.ScaleTargetRef), scales(is.ScaleTargetRef)},
		field{"target", targets(was.Metrics), targets(is.Metrics)},
	)
}

// targets lists metrics with their targets, such as "cpu 50%".
func targets(metrics []autoscalingv2.MetricSpec) string {
	var said []string
	for _, m := range metrics {
		switch {
		case m.Resource != nil:
			said = append(said, target(string(m.Resource.Name), m.Resource.Target))
		case m.ContainerResource != nil:
			said = append(said, target(m.ContainerResource.Container+"'s "+string(m.ContainerResource.Name), m.ContainerResource.Target))
		case m.Pods != nil:
			said = append(said, target(m.Pods.Metric.Name, m.Pods.Target))
		case m.Object != nil:
			said = append(said, target(m.Object.Metric.Name, m.Object.Target))
		case m.External != nil:
			said = append(said, target(m.External.Metric.Name, m.External.Target))
		}
	}
	return strings.Join(said, ", ")
}

func target(metric string, is autoscalingv2.MetricTarget) string {
	switch {
	case is.AverageUtilization != nil:
		return fmt.Sprintf("%s %d%%", metric, *is.AverageUtilization)
	case is.AverageValue != nil:
		return metric + " " + is.AverageValue.String()
	case is.Value != nil:
		return metric + " " + is.Value.String()
	default:
		return metric
	}
}
