package inspect

import (
	"fmt"
	"slices"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// Rules says until when the rules of the client's node routed to the request's pod; empty if pod or node is not known, or if the lane goes
// past the rules.
func (r Request) Rules(tl timeline.Timeline) string {
	node := r.Client.RoutingNode()
	if node == "" || r.Source == timeline.NoSource || tl.HostAlone {
		return ""
	}
	of := node + ", its client's node,"
	if !slices.Contains(tl.Observed(), node) {
		return "the rules of " + of + " were not observed"
	}
	span, ever := r.span(node, tl)
	if !ever {
		return "the rules of " + of + " were never seen to route to it"
	}
	began, ended := r.since(span.From), r.since(span.To)
	switch {
	case began.AtMost(0) == timeline.No:
		return fmt.Sprintf("the rules of %s routed to it only from %s after the request on", of, phrase.Elapsed(began))
	case !span.Gone:
		return fmt.Sprintf("the rules of %s still routed to it when they were seen last, %s after the request", of, phrase.Elapsed(ended))
	case ended.AtMost(0) == timeline.Yes:
		ended.Length = -ended.Length
		return fmt.Sprintf("the rules of %s had stopped routing to it %s before the request", of, phrase.Elapsed(ended))
	case ended.AtMost(0) == timeline.No:
		return fmt.Sprintf("the rules of %s routed to it until %s after the request", of, phrase.Elapsed(ended))
	default:
		return fmt.Sprintf("the rules of %s stopped routing to it %s after the request: the clocks cannot tell which was first", of,
			phrase.Elapsed(ended))
	}
}

// since returns how long after the request was sent a moment came; negative before.
func (r Request) since(at timeline.Time) timeline.Elapsed { return at.Since(r.SentAt()) }

// span returns the last time in which a node's rules routed to the request's pod that began before the request or, if none did, the first.
func (r Request) span(node string, tl timeline.Timeline) (found timeline.RuleSpan, ever bool) {
	for _, span := range tl.RulesTo(r.Pod.Pod) {
		if span.Node == node && (!ever || span.From.At <= r.Sent) {
			found, ever = span, true
		}
	}
	return found, ever
}

// routedBy lists, by name, the pods that a node's rules routed to when the request was sent, and those of which the clocks cannot tell.
func (r Request) routedBy(node string, tl timeline.Timeline) (pods, perhaps []timeline.Pod) {
	for _, p := range tl.Pods {
		for _, span := range tl.RulesTo(p.Pod) {
			switch holds := span.Holds(r.SentAt()); {
			case span.Node != node:
			case holds == timeline.Yes:
				pods = append(pods, p)
			case holds == timeline.Unknown:
				perhaps = append(perhaps, p)
			}
		}
	}
	return pods, perhaps
}
