package inspect

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// Request prints what is recorded of a request: what became of it, by which node's rules and to which pod it was sent, and everything that
// any file has of both, by time. The error says that there is no such request.
func (r *Recording) Request(w io.Writer, id timeline.HitID) error {
	q, err := r.request(id)
	if err != nil {
		return err
	}
	say(w, "request %s/%d of %s: %s, %s after it was sent", q.Lane, q.Seq, r.Scenario.Mode+"/"+r.Scenario.Name(), q.Result(), short(q.Took))
	told := [][2]string{{"sent", r.sent(q)}, {"when sent", q.Unconnected()}}
	if !r.Timeline.HostAlone {
		told = append(told, [][2]string{
			{"arrived", r.arrived(q)},
			{"pod", podOf(q)},
			{"it was then", phaseOf(q)},
			{"rules", q.Rules(r.Timeline)},
			{"rules then", r.routedThen(q)},
		}...)
	}
	facts(w, append(told, [2]string{"decided", r.decided(q)})...)
	fmt.Fprintln(w)
	r.moments(w, &q, append(r.ofRequest(q), r.ofPod(q)...))
	raw := []string{fmt.Sprintf(`duckdb -c "from 'hits.parquet' where lane = '%s' and seq = %d"`, q.Lane, q.Seq)}
	if q.LocalPort > 0 && slices.Contains(r.Scenario.Files, evidence.FlowsFile) {
		raw = append(raw, fmt.Sprintf(`duckdb -c "from 'flows.parquet' where client = '%s' and port = %d"`, q.Client.Client, q.LocalPort))
	}
	if q.Source != timeline.NoSource {
		raw = append(raw, fmt.Sprintf("grep %s events.jsonl", q.Pod.Pod))
	}
	r.raw(w, raw...)
	if q.Source != timeline.NoSource {
		fmt.Fprintf(w, "all of its pod: %s\n", r.command("--pod "+Short(q.Pod.Pod)))
	}
	return nil
}

// raw prints command lines that show records as they are in the files.
func (r *Recording) raw(w io.Writer, commands ...string) {
	fmt.Fprintf(w, "\nthe records themselves: cd %s\n", r.Scenario.Evidence)
	for _, c := range commands {
		fmt.Fprintln(w, "  "+c)
	}
}

// short writes how long something took, in milliseconds if that is short.
func short(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.2f ms", millis(d))
	}
	return phrase.Duration(d)
}

func (r *Recording) sent(q Request) string {
	text := fmt.Sprintf("%s after %s, %s after the recording began", phrase.Seconds(q.Sent-r.zero), r.from, phrase.Seconds(q.Sent))
	if q.Sent < r.zero {
		text = fmt.Sprintf("%s before %s, %s after the recording began", phrase.Seconds(r.zero-q.Sent), strings.TrimSuffix(r.from, " began"),
			phrase.Seconds(q.Sent))
	}
	return text + fmt.Sprintf(", by a client %s, over %s", whereIs(q.Client), connection(q))
}

func whereIs(l timeline.Lane) string {
	if l.Node == "" {
		return "outside the cluster"
	}
	return "on node " + l.Node
}

func connection(q Request) string {
	said := "a new connection"
	if q.Reused {
		said = "a " + q.kept() + " connection"
	}
	if q.LocalPort > 0 {
		said += fmt.Sprintf(" from port %d", q.LocalPort)
	}
	if q.Attempts > 1 {
		said += fmt.Sprintf(", the last of %d", q.Attempts)
	}
	return said
}

func (r *Recording) arrived(q Request) string {
	text := q.Arrived(r.Timeline)
	if text == "never" {
		text += ": no pod logged it"
	}
	return text
}

func podOf(q Request) string {
	switch {
	case q.Source != timeline.NoSource:
		return fmt.Sprintf("%s (%s) on node %s, known %s", q.Pod.Pod, cmp.Or(q.Pod.Version, "version unknown"),
			cmp.Or(q.Pod.Node, "unknown"), q.Source)
	case q.Routed.Routing == timeline.RoutedNowhere:
		text := "none: the connection tracking of its node has no connection of it, so it was rejected or dropped"
		if q.Routed.InRules > 0 {
			text += fmt.Sprintf(", though the rules routed to %s", phrase.Count(q.Routed.InRules, "pod"))
		}
		return text
	case q.Routed.Routing == timeline.RoutedToPod:
		return "not known: it was routed to " + q.Routed.Address + ", which no pod is known to have had"
	default:
		return "not known: no reply, log or connection tracking names it, and several pods or none can have failed it"
	}
}

func phaseOf(q Request) string {
	switch {
	case q.Source == timeline.NoSource:
		return ""
	case q.Phase == timeline.PodUnseen:
		return q.Phase.String()
	default:
		return q.Phase.String() + ", since " + phrase.Elapsed(q.Since)
	}
}

// routedThen lists the pods that the rules of the client's node routed to when the request was sent.
func (r *Recording) routedThen(q Request) string {
	node := q.Client.RoutingNode()
	if node == "" || len(r.Timeline.Observed()) == 0 {
		return ""
	}
	write := func(pods []timeline.Pod) string {
		var said []string
		for _, p := range pods {
			phase, _ := r.Timeline.PhaseOf(p, q.Hit)
			said = append(said, fmt.Sprintf("%s (%s)", Short(p.Pod), phase))
		}
		return strings.Join(said, ", ")
	}
	pods, perhaps := q.routedBy(node, r.Timeline)
	text := "those of " + node + " routed to " + cmp.Or(write(pods), "no pod")
	if len(perhaps) > 0 {
		text += "; the clocks or the observer cannot tell of " + write(perhaps)
	}
	return text
}

// decided lists the rules that the request decided.
func (r *Recording) decided(q Request) string {
	var rules []string
	for _, rule := range r.Scenario.Rules {
		for _, w := range rule.Witnesses {
			if w == (model.Witness{Lane: q.Lane, Seq: q.Seq}) {
				rules = append(rules, strings.TrimSpace(rule.Code+" "+rule.ID)+" ("+rule.Outcome.String()+")")
			}
		}
	}
	return strings.Join(rules, ", ")
}

// ofRequest lists what hits, arrivals and flows have of a request.
func (r *Recording) ofRequest(q Request) []moment {
	at := func(d time.Duration) timeline.Time { return q.Client.Time(d) }
	all := []moment{
		{at(q.Due), "due: the client was to send it", evidence.HitsFile},
		{at(q.Sent), fmt.Sprintf("sent to %s over %s", q.Client.DialAddress(), connection(q)), evidence.HitsFile},
	}
	if q.Connect > 0 {
		all = append(all, moment{at(q.Sent + q.Connect), "its connection was open", evidence.HitsFile})
	}
	if q.Routed.Routing == timeline.RoutedToPod {
		what := "its connection was routed to " + q.Routed.Address
		if q.Routed.Pod != "" {
			what += ", of pod " + q.Routed.Pod
		}
		all = append(all, moment{q.Routed.At, what + ", by " + q.Routed.At.Clock, evidence.FlowsFile})
	}
	for _, e := range q.Channel.States {
		all = append(all, r.event(e))
	}
	for _, a := range q.Arrivals {
		logged := r.Timeline.TimeOf(evidence.Event{At: a.At, Clock: a.By.Node})
		all = append(all, moment{logged, "pod " + a.By.Pod + " had read its headers", evidence.ArrivalsFile})
	}
	what := "its client got: " + q.Result()
	if q.Resent > 0 {
		what += ", and had sent " + phrase.Count(int(q.Resent), "TCP segment") + " again"
	}
	return append(all, moment{at(q.End()), what, evidence.HitsFile})
}

// ofPod lists the events of the request's pod by which its phase or a node's rules changed.
func (r *Recording) ofPod(q Request) (all []moment) {
	if q.Source == timeline.NoSource {
		return nil
	}
	for _, e := range q.Pod.Events {
		if e.Kind == evidence.Reported {
			continue
		}
		m := r.event(e)
		if e.Kind == evidence.RuleGone && e.Object == q.Client.RoutingNode() {
			m.what += ", the client's node"
		}
		all = append(all, m)
	}
	return all
}
