package page

import (
	"fmt"
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/inspect"
	"example.com/rollcall/reports/model"
)

// A request is a hit that decided a rule, in words.
type request struct {
	Lane       string
	Seq        uint64
	Sent       string // since the run began
	After      string // since the rollout began; empty when that is not known
	Result     string // what its client got
	Took       string
	Arrived    string
	Pod        string // that got it, or should have; empty when that is not known
	Version    string // of the pod
	Known      string // how the pod is known
	NodeRules  string // until when the rules of the client's node routed to the pod
	Phase      string // of the pod, when the request was sent
	Since      string // how long the pod had been in that phase
	Connection string
	Channel    string   // its state, of an RPC that was sent when it was not connected
	Rules      []string // that it decided
}

// witnessesOf describes the points that decided a rule, by time sent.
func witnessesOf(points []timeline.Hit, s model.Scenario, tl timeline.Timeline) []request {
	decided := map[model.Witness][]string{}
	for _, rule := range s.Rules {
		for _, w := range rule.Witnesses {
			if !slices.Contains(decided[w], rule.ID) {
				decided[w] = append(decided[w], rule.ID)
			}
		}
	}
	var told []request
	for _, h := range points {
		if rules := decided[model.Witness{Lane: h.Lane, Seq: h.Seq}]; len(rules) > 0 {
			r := newRequest(h, tl)
			r.Rules = rules
			told = append(told, r)
		}
	}
	return told
}

func newRequest(h timeline.Hit, tl timeline.Timeline) request {
	is := inspect.NewRequest(h, tl)
	r := request{
		Lane: h.Lane, Seq: h.Seq, Sent: phrase.Seconds(h.Sent), Took: millis(h.Took),
		Result: is.Result(), Arrived: is.Arrived(tl), Connection: is.Connection(), Channel: is.Unconnected(),
		NodeRules: is.Rules(tl),
	}
	if since, ok := tl.Since(evidence.RolloutBegun, h); ok && !tl.HostAlone {
		r.After = fmt.Sprintf("%+.3fs", since.Length.Seconds())
	}
	if is.Source != timeline.NoSource {
		r.Pod, r.Version, r.Known = is.Pod.Pod, is.Pod.Version, is.Source.String()
		r.Phase = is.Phase.String()
		if is.Phase != timeline.PodUnseen {
			r.Since = phrase.Elapsed(is.Since)
		}
	}
	return r
}
