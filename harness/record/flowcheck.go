package record

import (
	"cmp"
	"context"
	"fmt"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
)

// checkFlows notes that the cluster lacks the feature [evidence.FlowEvents] if nodes reported none of the connections that have just
// reached the app: else each connection that fails would count as routed nowhere.
func (r *Recording) checkFlows(ctx context.Context) error {
	if r.observers == nil || !r.observers.listen {
		return nil
	}
	lacks := ""
	limited, cancel := context.WithTimeout(ctx, r.stretched(flowTimeout))
	defer cancel()
	_ = r.watch.Until(limited, func(s observe.State) bool {
		lacks = whyNoFlows(r.clients.lanes, s.NodeReports)
		return lacks == ""
	})
	if ctx.Err() == nil && lacks != "" {
		fmt.Fprintf(r.Out, "which pod each connection goes to is not recorded: %s\n", lacks)
		r.run.Lacks = append(r.run.Lacks, evidence.Feature{Name: evidence.FlowEvents, Because: lacks})
	}
	return context.Cause(ctx)
}

// whyNoFlows returns why nodes reported no connection of any lane; empty if one did, or none listens.
func whyNoFlows(lanes []evidence.Lane, s observe.NodeReports) (why string) {
	for _, lane := range lanes {
		node := cmp.Or(lane.Node, lane.TargetNode)
		cannot, listens := s.Listened[node]
		switch {
		case !listens || lane.Client == "" || !lane.Kind().RequestsApp():
		case s.Routed[lane.Client]:
			return ""
		case cannot != "":
			why = cmp.Or(why, node+": "+cannot)
		default:
			why = cmp.Or(why, fmt.Sprintf("conntrack of %s reported no routed connection from %s, though requests were answered: "+
				"what routes there bypasses conntrack (eBPF, NOTRACK) or uses a zone of its own", node, lane.Client))
		}
	}
	return why
}
