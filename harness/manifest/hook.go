package manifest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Hook says when Helm or Argo CD applies an object that is no part of the app: https://helm.sh/docs/topics/charts_hooks/ and
// https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/.
type Hook struct {
	Events []string // as they are written, such as pre-install or PreSync
	Weight int      // those of lower weight, or of an earlier wave, are first
	Delete []string // policies, as Helm writes them
}

// Annotations of both. Argo CD leaves an object alone that has its own, whatever it has for Helm.
const (
	helmHook, helmWeight, helmDelete = "helm.sh/hook", "helm.sh/hook-weight", "helm.sh/hook-delete-policy"
	argoHook, argoWave, argoDelete   = "argocd.argoproj.io/hook", "argocd.argoproj.io/sync-wave", "argocd.argoproj.io/hook-delete-policy"
)

// Policies by which a hook is deleted.
const (
	BeforeHookCreation = "before-hook-creation" // before it is created again; the policy of hooks that name none
	HookSucceeded      = "hook-succeeded"
)

// HookOf returns an object as a hook, and whether it is one.
func HookOf(o Object) (h Hook, is bool) {
	said := o.GetAnnotations()
	switch {
	case said[argoHook] != "":
		h = Hook{Events: words(said[argoHook]), Weight: Wave(o)}
		for _, policy := range words(said[argoDelete]) {
			h.Delete = append(h.Delete, map[string]string{"HookSucceeded": HookSucceeded, "BeforeHookCreation": BeforeHookCreation}[policy])
		}
	case said[helmHook] != "":
		h = Hook{Events: words(strings.ToLower(said[helmHook])), Delete: words(said[helmDelete])}
		h.Weight, _ = strconv.Atoi(said[helmWeight]) // 0 if it is no number, as for Helm
	default:
		return h, false
	}
	if len(h.Delete) == 0 {
		h.Delete = []string{BeforeHookCreation}
	}
	return h, true
}

// Wave returns the wave in which Argo CD applies an object.
func Wave(o Object) int {
	wave, _ := strconv.Atoi(o.GetAnnotations()[argoWave])
	return wave
}

// A Moment is when a hook runs.
type Moment string

// Moments of hooks that run.
const (
	Before Moment = "before" // anything else is applied, but for namespaces and definitions of kinds
	Within Moment = "within" // in its wave
	After  Moment = "after"  // all is applied
	Ready  Moment = "ready"  // all is ready
)

// Moments of hooks that do not run where an app is installed, rolled out and upgraded. They are nouns, for output.
const (
	Installs  Moment = "installations"
	Upgrades  Moment = "upgrades"
	Tests     Moment = "tests"
	Deletions Moment = "deletions"
	Rollbacks Moment = "rollbacks"
	Failures  Moment = "failures"
	Skipped   Moment = "Argo CD that it skips"
	Unknown   Moment = "an unknown kind"
)

// moments has what the events of both tools mean.
var moments = map[string]struct{ installed, upgraded Moment }{
	"pre-install":   {Before, Installs},
	"post-install":  {After, Installs},
	"pre-upgrade":   {Upgrades, Before},
	"post-upgrade":  {Upgrades, After},
	"pre-delete":    {Deletions, Deletions},
	"post-delete":   {Deletions, Deletions},
	"pre-rollback":  {Rollbacks, Rollbacks},
	"post-rollback": {Rollbacks, Rollbacks},
	"test":          {Tests, Tests},
	"test-success":  {Tests, Tests},
	"PreSync":       {Before, Before},
	"Sync":          {Within, Within},
	"PostSync":      {Ready, Ready},
	"SyncFail":      {Failures, Failures},
	"PreDelete":     {Deletions, Deletions},
	"PostDelete":    {Deletions, Deletions},
	"Skip":          {Skipped, Skipped},
}

// Moments returns when a hook runs while the app is installed or upgraded. If it does not run then, it returns what it is for.
func (h Hook) Moments(upgrade bool) (run []Moment, idle Moment) {
	for _, event := range h.Events {
		is, known := moments[event]
		moment := is.installed
		if upgrade {
			moment = is.upgraded
		}
		switch {
		case !known:
			return nil, Unknown // as Helm takes the whole object
		case !slices.Contains([]Moment{Before, Within, After, Ready}, moment):
			idle = cmp.Or(idle, moment)
		case !slices.Contains(run, moment):
			run = append(run, moment)
		}
	}
	return run, idle
}

// InUpgrades reports whether an object may be in the cluster while the app is rolled out: whether it is no hook, or one that runs then.
func InUpgrades(o Object) bool {
	hook, is := HookOf(o)
	run, _ := hook.Moments(true)
	return !is || len(run) > 0
}

func words(list string) (all []string) {
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word != "" {
			all = append(all, word)
		}
	}
	return all
}
