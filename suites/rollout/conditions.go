package rollout

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// conditions: what a Deployment reports about itself during a rollout (Kubernetes v1.36.3,
// pkg/controller/deployment/{sync,progress}.go). Progressing stays True throughout: only its reason tells a rollout in progress
// from one that is done. The numbers of pods are those of `kubectl describe`, which this calls: at the end, and while a pod of a second
// rollout is not ready. Then the reason of Progressing is left to chance: ReplicaSetUpdated is written when a status has more updated pods
// than the one before, and the first status after the ReplicaSet's creation may have its pod already (util/deployment_util.go,
// DeploymentProgressing, v1.37.2).
func conditions() harness.Scenario {
	const (
		done    = "3 desired | 3 updated | 3 total | 3 available | 0 unavailable"
		pending = "3 desired | 1 updated | 4 total | 3 available | 1 unavailable"
		// of the first version's rollout, and of the second's in another order: see fenceposts
		scalings = "Scaled down replica set v1 from 1 to 0, Scaled down replica set v1 from 2 to 1, Scaled down replica set v1 from 3 to 2, " +
			"Scaled up replica set v1 from 0 to 3, Scaled up replica set v2 from 0 to 1, Scaled up replica set v2 from 1 to 2, " +
			"Scaled up replica set v2 from 2 to 3"
	)
	app := fixtures.App{Replicas: 3, MaxSurge: percent(30), MaxUnavailable: percent(10), MinReady: time.Second}
	return harness.Scenario{
		ID:      "conditions",
		Profile: harness.Core,
		Claim: "a Deployment that is rolled out stays Available, and says in turn " +
			"that its ReplicaSet was created, is progressing and is available",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			changes := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Watch(ctx, metav1.ListOptions{}))
			defer changes.Stop()
			steps.RollOut(ctx, app, rollout.Update("v1", "v2"))
			told := conditionsTold(ctx, changes)
			for _, kind := range []appsv1.DeploymentConditionType{appsv1.DeploymentProgressing, appsv1.DeploymentAvailable} {
				steps.Note(string(kind)+" in turn", strings.Join(slices.Compact(told[kind]), ", "))
			}
			whole := described(ctx, steps, func(d description) bool { return d.pods == done && d.scalings == scalings })
			steps.Note("describe says of pods", whole.pods)
			steps.Note("describe says of conditions", whole.conditions)
			steps.Note("describe says of ReplicaSets", whole.sets)
			steps.Note("describe says of scalings", whole.scalings)
			never := app
			never.ReadyDelay = time.Hour
			change(ctx, steps, to(steps, never, "v1"))
			stuck := described(ctx, steps, func(d description) bool { return d.pods == pending })
			steps.Note("describe says of pods while one is not ready", stuck.pods)
			steps.Note("describe says of conditions then", strings.Join(stuck.statuses(), ", "))
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("Progressing in turn",
				"True NewReplicaSetAvailable, True NewReplicaSetCreated, True ReplicaSetUpdated, True NewReplicaSetAvailable").Decides("C22"),
			verdict.Fact("Available in turn", "True MinimumReplicasAvailable").Decides("C22"),
			verdict.Fact("describe says of pods", done).Decides("C22"),
			verdict.Fact("describe says of conditions",
				"Available True MinimumReplicasAvailable, Progressing True NewReplicaSetAvailable").Decides("C22"),
			verdict.Fact("describe says of ReplicaSets", "v2 (3/3 replicas created) beside v1 (0/0 replicas created)").Decides("C22"),
			verdict.Fact("describe says of scalings", scalings).Decides("C22"),
			verdict.Fact("describe says of pods while one is not ready", pending).Decides("C22"),
			verdict.Fact("describe says of conditions then", "Available True, Progressing True").Decides("C22"),
		},
	}
}

// conditionsTold returns, by type, what each condition of a Deployment said in every state of it until v2 is rolled out.
func conditionsTold(ctx context.Context, changes watch.Interface) map[appsv1.DeploymentConditionType][]string {
	told := map[appsv1.DeploymentConditionType][]string{}
	for _, d := range harness.Changes[*appsv1.Deployment](ctx, changes) {
		for _, c := range d.Status.Conditions {
			told[c.Type] = append(told[c.Type], fmt.Sprintf("%s %s", c.Status, c.Reason))
		}
		if d.Spec.Template.Labels[fixtures.VersionLabel] == "v2" && rollout.Complete(d) {
			break
		}
	}
	return told
}

// A description is what kubectl prints of a Deployment, with the versions of ReplicaSets instead of their names.
type description struct {
	pods       string // by state
	conditions string // each with its status and reason, sorted
	sets       string // the new ReplicaSet, and then the old ones
	limits     string // of the strategy
	scalings   string // what its Events say, sorted: their times are in whole seconds
}

// parseDescription reads what kubectl describe prints. versions has the version of each ReplicaSet, by its name.
func parseDescription(text string, versions map[string]string) description {
	text = withVersions(text, versions)
	// found returns the parts of the lines that match a pattern, sorted.
	found := func(pattern string) (all []string) {
		for _, m := range regexp.MustCompile("(?m)^"+pattern+"$").FindAllStringSubmatch(text, -1) {
			all = append(all, strings.Join(strings.Fields(m[1]), " "))
		}
		slices.Sort(all)
		return all
	}
	sets := append(found("NewReplicaSet: (.*)"), found("OldReplicaSets: (.*)")...)
	return description{
		pods:       strings.Join(found("Replicas: (.*)"), ", "),
		conditions: strings.Join(found(`  ((?:Available|Progressing|ReplicaFailure) .*)`), ", "),
		sets:       strings.Join(sets, " beside "),
		limits:     strings.Join(found("RollingUpdateStrategy: (.*)"), ", "),
		scalings:   strings.Join(found(`  \S+ +ScalingReplicaSet .*(Scaled .*)`), ", "),
	}
}

// described returns what kubectl describe prints of the app, as soon as it holds, or as it is when that takes too long: a Deployment's
// status and its Events are written later than what they report.
func described(ctx context.Context, steps *harness.Steps, holds func(description) bool) description {
	return settled(ctx, func() description {
		return parseDescription(steps.Describe(fixtures.DefaultName), versionsOf(ctx, steps))
	}, holds)
}

// versionsOf returns the version of each ReplicaSet, by its name.
func versionsOf(ctx context.Context, steps *harness.Steps) map[string]string {
	versions := map[string]string{}
	for _, rs := range steps.ReplicaSets(ctx) {
		versions[rs.Name] = rs.Spec.Template.Labels[fixtures.VersionLabel]
	}
	return versions
}

// settled reads something until it holds, or for steadyAfter, and returns what it read last.
func settled[T any](ctx context.Context, read func() T, holds func(T) bool) (last T) {
	since := time.Now()
	harness.Check(poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
		last = read()
		return holds(last) || time.Since(since) >= steadyAfter, nil
	}))
	return last
}

// statuses returns each condition with its status, without its reason.
func (d description) statuses() (all []string) {
	for condition := range strings.SplitSeq(d.conditions, ", ") {
		words := strings.Fields(condition)
		all = append(all, strings.Join(words[:min(2, len(words))], " "))
	}
	return all
}
