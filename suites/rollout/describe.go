package rollout

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/poll"
)

// A description is what kubectl prints of a Deployment, with the versions of ReplicaSets instead of their names.
type description struct {
	pods       string // by state
	conditions string // each with its status and reason, sorted
	sets       string // the new ReplicaSet, and then the old ones
	scalings   string // what its Events say, sorted: their times are in whole seconds
}

// parseDescription reads what kubectl describe prints. versions has the version of each ReplicaSet, by its name.
func parseDescription(text string, versions map[string]string) description {
	for name, version := range versions {
		text = strings.ReplaceAll(text, name, version)
	}
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
		scalings:   strings.Join(found(`  \S+ +ScalingReplicaSet .*(Scaled .*)`), ", "),
	}
}

// described returns what kubectl describe prints of the app, as soon as it holds, or as it is when that takes too long: a Deployment's
// status and its Events are written later than what they report.
func described(ctx context.Context, steps *harness.Steps, holds func(description) bool) (d description) {
	since := time.Now()
	harness.Check(poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
		versions := map[string]string{}
		for _, rs := range steps.ReplicaSets(ctx) {
			versions[rs.Name] = rs.Spec.Template.Labels[fixtures.VersionLabel]
		}
		d = parseDescription(steps.Describe(fixtures.DefaultName), versions)
		return holds(d) || time.Since(since) >= steadyAfter, nil
	}))
	return d
}

// statuses returns each condition with its status, without its reason.
func (d description) statuses() (all []string) {
	for condition := range strings.SplitSeq(d.conditions, ", ") {
		words := strings.Fields(condition)
		all = append(all, strings.Join(words[:min(2, len(words))], " "))
	}
	return all
}
