package inspect

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// Summary prints what was recorded, what the verdict is, and which requests decided it.
func (r *Recording) Summary(w io.Writer) {
	s, run := r.Scenario, r.Run
	say(w, "%s/%s: %s: %s", s.Mode, s.Name(), s.Outcome, s.Brief())
	if s.Outcome == verdict.Skipped {
		return
	}
	facts(w,
		[2]string{"claim", run.Claim},
		[2]string{"recorded", r.recorded()},
		[2]string{"files", r.files()},
		[2]string{"times", fmt.Sprintf("are since %s, %s after the recording began, on the recorder's clock", r.from, phrase.Seconds(r.zero))},
		[2]string{"clocks", r.clocks()},
		[2]string{"problems", r.problems()},
	)
	r.section(w, "steps", r.steps())
	r.section(w, "lanes", r.lanes())
	r.section(w, "pods", r.pods())
	decided, more := r.decisive()
	r.section(w, "requests that decided the verdict"+more, decided)
	r.next(w, decided)
}

// section prints a table, whose first row has the titles, unless it has no other.
func (r *Recording) section(w io.Writer, title string, rows [][]string) {
	if len(rows) > 1 {
		fmt.Fprintf(w, "\n%s\n", title)
		table(w, rows)
	}
}

// problems describes what is wrong with the recording, and how many messages of Kubernetes could not be read.
func (r *Recording) problems() string {
	var all []string
	for _, p := range r.Timeline.Problems {
		all = append(all, p.Text)
	}
	if n := r.Timeline.UnreadMessages(); n > 0 {
		all = append(all, phrase.Count(n, "Event")+" with a message that this build cannot read")
	}
	return strings.Join(all, "; ")
}

func (r *Recording) recorded() string {
	run := r.Run
	text := fmt.Sprintf("%s, in %s, attempt %d of %d", run.Began.UTC().Format("2006-01-02 15:04:05 UTC"), phrase.Duration(run.Length),
		run.Attempt, max(run.Attempt, run.Tries))
	if run.Kubernetes != "" {
		text += ", Kubernetes " + run.Kubernetes
	}
	if run.OldVersion != "" {
		text += fmt.Sprintf(", from %s to %s", run.OldVersion, run.NewVersion)
	}
	return text
}

func (r *Recording) files() string {
	var said []string
	for _, f := range r.Run.Files {
		said = append(said, fmt.Sprintf("%s %s", f.Name, phrase.Count(f.Records, "record")))
	}
	return strings.Join(said, ", ") + ", in " + r.Scenario.Evidence
}

// clocks says by how much the clock of each node was ahead of the recorder's.
func (r *Recording) clocks() string {
	ahead := map[string][]string{}
	var nodes []string
	for _, c := range r.Run.Clocks {
		if ahead[c.Node] == nil {
			nodes = append(nodes, c.Node)
		}
		ahead[c.Node] = append(ahead[c.Node], fmt.Sprintf("%.2f±%.2f ms", millis(c.Offset), millis(c.Uncertainty)))
	}
	var said []string
	for _, node := range nodes {
		said = append(said, node+" was ahead by "+strings.Join(ahead[node], ", then "))
	}
	return strings.Join(said, "; ")
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// steps lists marks and steps by time.
func (r *Recording) steps() [][]string {
	type row struct {
		at   time.Duration
		what string
	}
	var all []row
	for _, e := range r.Timeline.Marks() {
		all = append(all, row{e.At, strings.TrimSpace(string(e.Kind) + " " + e.Detail)})
	}
	for _, s := range r.Timeline.Steps() {
		if !timeline.IsMark(s.Kind) {
			all = append(all, row{s.At, s.String()})
		}
	}
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(a.at, b.at) })
	rows := [][]string{{"AT", "WHAT"}}
	for _, s := range all {
		rows = append(rows, []string{r.offset(s.at), s.what})
	}
	return rows
}

func (r *Recording) lanes() [][]string {
	rows := [][]string{{"LANE", "CLIENT", "CONNECTIONS", "PER SECOND", "REQUESTS", "FAILED"}}
	for _, l := range r.Timeline.Lanes {
		client := cmp.Or(l.Node, "outside")
		if l.Node == "" && l.RoutingNode() != "" {
			client += ", by " + l.RoutingNode()
		}
		rows = append(rows, []string{l.ID, client, l.Over(), fmt.Sprint(l.Rate), phrase.Number(l.Summary.Requests),
			cmp.Or(phrase.Faults(l.Summary.Failures), "0")})
	}
	return rows
}

func (r *Recording) pods() [][]string {
	titles := []string{"POD", "VERSION"}
	for _, c := range LifeColumns {
		titles = append(titles, strings.ToUpper(c.Title))
	}
	rows := [][]string{titles}
	for _, life := range Lives(r.Timeline) {
		rows = append(rows, append([]string{Short(life.Pod.Pod), phrase.Cut(life.Version, 12)}, life.When(r.offset)...))
	}
	return rows
}

// decisive lists the requests that decided the rules of the worst outcome, and says how many more there are.
func (r *Recording) decisive() (rows [][]string, more string) {
	const most = 20
	rows = [][]string{{"SENT", "REQUEST", "ITS CLIENT GOT", "POD", "THE POD WAS THEN", "RULE"}}
	n := 0
	for _, rule := range r.Scenario.Rules {
		if rule.Outcome != r.Scenario.Outcome {
			continue
		}
		for _, at := range rule.Witnesses {
			h, found := r.Timeline.Find(at.Lane, at.Seq)
			if n++; !found || len(rows) > most {
				continue
			}
			q := NewRequest(h, r.Timeline)
			rows = append(rows, []string{r.offset(q.Sent), idOf(at), q.Result(), Short(q.Pod.Pod), phaseOf(q), rule.ID})
		}
	}
	if hidden := n - len(rows) + 1; hidden > 0 {
		more = fmt.Sprintf(" (the first %d of %d)", len(rows)-1, n)
	}
	return rows, more
}

func idOf(w model.Witness) string { return fmt.Sprintf("%s/%d", w.Lane, w.Seq) }

// next says how to look at one request and one pod.
func (r *Recording) next(w io.Writer, decided [][]string) {
	fmt.Fprintln(w)
	if len(decided) > 1 {
		fmt.Fprintf(w, "look at one request: %s\n", r.command("--request "+decided[1][1]))
	} else if len(r.Timeline.Lanes) > 0 {
		fmt.Fprintf(w, "look at one request: %s\n", r.command("--request "+r.Timeline.Lanes[0].ID+"/0"))
	}
	if lives := Lives(r.Timeline); len(lives) > 0 {
		fmt.Fprintf(w, "look at one pod:     %s\n", r.command("--pod "+Short(lives[0].Pod.Pod)))
	}
}

func (r *Recording) command(flag string) string { return "rollcall evidence " + r.Name + " " + flag }
