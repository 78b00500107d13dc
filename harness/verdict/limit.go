package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// limitsOf lists what the recording did not look at: what the recorder noted, and what the timeline shows.
func limitsOf(run evidence.Run, tl timeline.Timeline) []evidence.Limit {
	limits := slices.Clone(run.Limits)
	if exit, ok := tl.Fact(evidence.CommandExit); ok && exit.Detail != "0" {
		limits = append(limits, evidence.Limit{ID: evidence.CommandFailed,
			Text: "the command failed with exit code " + exit.Detail + ": what it does after that was not seen"})
	}
	if before, ok := tl.Fact(evidence.RolloutUnderWay); ok {
		limits = append(limits, evidence.Limit{ID: evidence.UnderWayAlready,
			Text: "a rollout was under way before, so that its end was not waited for: " + before.Detail})
	}
	if away := awayAsExpected(tl); len(away) > 0 {
		limits = append(limits, evidence.Limit{ID: evidence.ClientsAway,
			Text: "what clients would have seen while their agents were away is not known: " + enumerate(away)})
	}
	if kinds := notWatched(tl); len(kinds) > 0 {
		limits = append(limits, evidence.Limit{ID: evidence.NotWatched,
			Text: "not watched: " + strings.Join(kinds, ", ") + " (missing permission to list and watch them)"})
	}
	return append(limits, nodesNotLookedAt(run)...)
}

// notWatched lists the kinds of objects that were not watched, in words.
func notWatched(tl timeline.Timeline) (kinds []string) {
	words := map[string]string{"services": "Services", "poddisruptionbudgets": "PodDisruptionBudgets", "daemonsets": "DaemonSets",
		"horizontalpodautoscalers": "HorizontalPodAutoscalers", "pods": "pods of kube-system", "configmaps": "kube-proxy's ConfigMap"}
	for _, e := range tl.NotWatched() {
		if kind := cmp.Or(words[e.Object], e.Object); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// nodesNotLookedAt returns the limits of a recording whose clients were not on all nodes that could have some, or without nodes' rules.
func nodesNotLookedAt(run evidence.Run) (limits []evidence.Limit) {
	with := map[string]bool{}
	for _, lane := range run.Lanes {
		if lane.Vantage == evidence.FromPod {
			with[lane.Node] = true
		}
	}
	elsewhere := "of the others only the rules were read"
	lack := slices.IndexFunc(run.Lacks, func(f evidence.Feature) bool { return f.Name == evidence.NodeRules })
	if lack >= 0 {
		elsewhere = "a wedged kube-proxy elsewhere was not looked at"
	}
	if on := len(with); on > 0 && on < run.ClientNodes {
		limits = append(limits, evidence.Limit{ID: evidence.NodesNotAsked,
			Text: fmt.Sprintf("clients on %d of %s; %s", on, phrase.Count(run.ClientNodes, "node"), elsewhere)})
	}
	if lack >= 0 {
		limits = append(limits, evidence.Limit{ID: evidence.RulesNotRead,
			Text: "no node's rules were read, so that clients alone decide: " + run.Lacks[lack].Because})
	}
	return limits
}

// awayAsExpected says which agents were away, on which node and for how long, without those on nodes that the scenario disrupts.
func awayAsExpected(tl timeline.Timeline) (said []string) {
	for _, a := range tl.AgentsAway() {
		if tl.ExpectedAway(a) && !slices.Contains(tl.Disruption.Nodes, a.Node) {
			said = append(said, fmt.Sprintf("on %s for %s", a.Node, phrase.Duration(a.Length())))
		}
	}
	return said
}

// limited returns the verdict with its limits. Its headline names them if it passed, since they are what a pass does not say.
func (v Verdict) limited(limits []evidence.Limit) Verdict {
	v.Limits = limits
	if v.Outcome != Pass || len(limits) == 0 {
		return v
	}
	var ids []string
	for _, l := range limits {
		ids = append(ids, l.ID)
	}
	end := "; limits: " + strings.Join(ids, ", ")
	if most := phrase.MaxHeadline / 2; utf8.RuneCountInString(end) > most {
		end = "; " + phrase.Count(len(limits), "limit")
	}
	v.Headline = phrase.Cut(v.Headline, phrase.MaxHeadline-utf8.RuneCountInString(end)) + end
	return v
}
