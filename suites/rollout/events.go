package rollout

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// eventsInOrder: the controller writes an Event after each change of a size, and one goroutine sends them, one after the other
// (Kubernetes v1.37.2, pkg/controller/deployment/sync.go, scaleReplicaSet; client-go v0.37.2, tools/record/event.go,
// StartRecordingToSink). Their times are in whole seconds, by which kubectl describe sorts, so that it may print two of them the other
// way round. Their order is that of the API server's writes. Those of one reason for an object are combined when there are more
// than 10 in 10 minutes (tools/record/events_cache.go); here there are 7.
func eventsInOrder() harness.Scenario {
	const (
		events = "Events in their order"
		limits = "describe says of the strategy"
		sets   = "describe says of ReplicaSets"
		both   = "v2 (3/3 replicas created) beside v1 (0/0 replicas created)"
	)
	order := []string{
		"Scaled up replica set v1 from 0 to 3",
		"Scaled up replica set v2 from 0 to 1", "Scaled down replica set v1 from 3 to 2",
		"Scaled up replica set v2 from 1 to 2", "Scaled down replica set v1 from 2 to 1",
		"Scaled up replica set v2 from 2 to 3", "Scaled down replica set v1 from 1 to 0",
	}
	// What kubectl get prints when v2 is rolled out, and while the first pod of a third version is not ready.
	tables := []struct{ resource, whole, pending string }{
		{"deployments", "NAME READY UP-TO-DATE AVAILABLE: echo 3/3 3 3", "NAME READY UP-TO-DATE AVAILABLE: echo 3/3 1 3"},
		{"replicasets", "NAME DESIRED CURRENT READY: v1 0 0 0, v2 3 3 3", "NAME DESIRED CURRENT READY: v1 0 0 0, v2 3 3 3, v3 1 1 0"},
	}
	prints := func(resource string) string { return "get " + resource + " prints" }
	pending := func(resource string) string { return prints(resource) + " while a new pod is not ready" }
	app := fixtures.App{Replicas: 3, MaxSurge: percent(30), MaxUnavailable: percent(10), MinReady: time.Second}
	s := harness.Scenario{
		ID: "events-in-order",
		Claim: "the Events of a rollout of 3 pods at 30 % surge and 10 % unavailable say how it scales, in this order, " +
			"and kubectl get shows the old ReplicaSet with 0 pods",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.RollOut(ctx, app, rollout.Update("v1", "v2"))
			said := settled(ctx, func() []string { return scalings(ctx, steps) }, func(said []string) bool { return len(said) >= len(order) })
			steps.Note(events, strings.Join(said, ", "))
			whole := described(ctx, steps, func(d description) bool { return d.sets == both })
			steps.Note(limits, whole.limits)
			steps.Note(sets, whole.sets)
			for _, t := range tables {
				steps.Note(prints(t.resource), printed(ctx, steps, t.resource, t.whole))
			}
			third := app
			third.Tag, third.ReadyDelay = "v1", time.Hour
			change(ctx, steps, to(steps, third, "v3"))
			for _, t := range tables {
				steps.Note(pending(t.resource), printed(ctx, steps, t.resource, t.pending))
			}
		}},
		Expect: []evidence.Expectation{
			verdict.Fact(events, strings.Join(order, ", ")).Decides("C21"),
			verdict.Fact(limits, "10% max unavailable, 30% max surge"),
			verdict.Fact(sets, both),
		},
	}
	for _, t := range tables {
		s.Expect = append(s.Expect, verdict.Fact(prints(t.resource), t.whole), verdict.Fact(pending(t.resource), t.pending))
	}
	return s
}

// scalings returns what the Events of the app's Deployment say of sizes, with the versions of ReplicaSets instead of their names, in the
// order in which the API server wrote them: resource versions of one resource can be compared (KEP-5504).
func scalings(ctx context.Context, steps *harness.Steps) []string {
	d := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))
	events := steps.Events(ctx, d, "ScalingReplicaSet")
	slices.SortFunc(events, func(a, b corev1.Event) int {
		return harness.Must(resourceversion.CompareResourceVersion(a.ResourceVersion, b.ResourceVersion))
	})
	versions := versionsOf(ctx, steps)
	said := make([]string, len(events))
	for i, e := range events {
		said[i] = withVersions(e.Message, versions)
	}
	return said
}

// printed returns what kubectl get prints of a resource of the group apps, in a line, once that is as wanted, or as it is when that takes
// too long: the status is written later than what it reports. Names of ReplicaSets are replaced by their versions, and rows sorted.
func printed(ctx context.Context, steps *harness.Steps, resource, wanted string) string {
	return settled(ctx, func() string {
		columns, rows := steps.Get(ctx, resource)
		versions := versionsOf(ctx, steps)
		lines := make([]string, len(rows))
		for i, row := range rows {
			lines[i] = withVersions(strings.Join(row, " "), versions)
		}
		slices.Sort(lines)
		return strings.Join(columns, " ") + ": " + strings.Join(lines, ", ")
	}, func(line string) bool { return line == wanted })
}

// withVersions replaces names of ReplicaSets by their versions.
func withVersions(text string, versions map[string]string) string {
	for name, version := range versions {
		text = strings.ReplaceAll(text, name, version)
	}
	return text
}
