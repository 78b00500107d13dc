package verdict_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

// Which nodes a recording did not look at is said with numbers.
func TestNodesThatWereNotLookedAt(t *testing.T) {
	const lack = "no node's rules were read, so that clients alone decide: privileged pods were not allowed"
	could := func(nodes int) edit { return func(ev *recording) { ev.Run.ClientNodes = nodes } }
	for _, row := range []struct {
		sentence string
		edit     edit
		want     []evidence.Limit
	}{
		{"clients on every node that could have some", could(1), nil},
		{"a recording from before the nodes were counted", could(0), nil},
		{"a few nodes of many, whose rules were read", could(50),
			[]evidence.Limit{{ID: evidence.NodesNotAsked, Text: "clients on 1 of 50 nodes; of the others only the rules were read"}}},
		{"no node's rules", all(could(1), unobserved), []evidence.Limit{{ID: evidence.RulesNotRead, Text: lack}}},
		{"neither", all(could(50), unobserved), []evidence.Limit{
			{ID: evidence.NodesNotAsked, Text: "clients on 1 of 50 nodes; a wedged kube-proxy elsewhere was not looked at"},
			{ID: evidence.RulesNotRead, Text: lack}}},
		{"the rules of all but one node", all(could(1), func(ev *recording) {
			ev.Run.Lacks = []evidence.Feature{{Name: evidence.NodeRules + " of node down", Because: "it is not ready"}}
		}), nil},
		{"no client of a Service, only one outside", all(could(50), func(ev *recording) {
			for l := range ev.Run.Lanes[:2] {
				ev.Run.Lanes[l].Vantage, ev.Run.Lanes[l].Node = evidence.FromHost, ""
			}
		}), nil},
	} {
		ev := rollout(verdict.NoFailures())
		row.edit(&ev)
		if got := judge(t, ev).Limits; !slices.Equal(got, row.want) {
			t.Errorf("%s: %+v, want %+v", row.sentence, got, row.want)
		}
	}
}

// Kinds of objects that were not watched are named once each.
func TestKindsThatWereNotWatched(t *testing.T) {
	var noted []edit
	for i, kind := range []string{"services", "pods", "services", "gateways"} {
		noted = append(noted, with(evidence.Event{At: time.Duration(i), Kind: evidence.Unwatched, Object: kind}))
	}
	ev := rollout(verdict.NoFailures())
	all(noted...)(&ev)
	want := []evidence.Limit{{ID: evidence.NotWatched,
		Text: "not watched: Services, pods of kube-system, gateways (missing permission to list and watch them)"}}
	if got := judge(t, ev).Limits; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What was not looked at stands in the verdict, and in the headline of a pass.
func TestLimits(t *testing.T) {
	noted := func(limits ...evidence.Limit) edit { return func(ev *recording) { ev.Run.Limits = limits } }
	exited := func(code string) edit {
		return with(evidence.Event{At: 900 * ms, Kind: evidence.Fact, Object: evidence.CommandExit, Detail: code})
	}
	one := evidence.Limit{ID: "no-control", Text: "nothing tells a loss on the way there from one of the app"}
	many := slices.Repeat([]evidence.Limit{one}, 8)
	for _, row := range []struct {
		sentence string
		edit     edit
		outcome  verdict.Outcome
		limits   int
		ends     string // the headline
	}{
		{"everything was looked at", all(), verdict.Pass, 0, "lost a request (95 % confidence: at most 77.6 % do)"},
		{"the recorder noted what it does not look at", noted(one), verdict.Pass, 1, "; limits: no-control"},
		{"the command failed as well", all(noted(one), exited("7")), verdict.Pass, 2, "; limits: no-control, command-failed"},
		{"a command that did not fail is not a limit", exited("0"), verdict.Pass, 0, ""},
		{"more than a headline has room for", noted(many...), verdict.Pass, 8, "; 8 limits"},
		{"agents were away, as the maintenance made them", awayTogether(80, 100), verdict.Pass, 1, "; limits: clients-away"},
		{"agents were away on the node that the scenario disrupts",
			all(disrupted("worker", evidence.AgentLost), awayFor("worker-fresh", 80, 100)), verdict.Pass, 0, ""},
		{"a kind of objects was not watched", with(evidence.Event{Kind: evidence.Unwatched, Object: "services"}), verdict.Pass, 1,
			"; limits: not-watched"},
		{"what failed, failed", all(noted(one), breaking("worker-fresh", evidence.Refused, 70)), verdict.Fail, 1, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.NoFailures())
			row.edit(&ev)
			v := judge(t, ev)
			if v.Outcome != row.outcome || len(v.Limits) != row.limits {
				t.Errorf("%s with limits %+v", v.Outcome, v.Limits)
			}
			if n := utf8.RuneCountInString(v.Headline); !strings.HasSuffix(v.Headline, row.ends) || n > phrase.MaxHeadline {
				t.Errorf("a headline of %d characters: %q", n, v.Headline)
			}
			if says := strings.Contains(v.Headline, "limit"); says != (row.limits > 0 && row.outcome == verdict.Pass) {
				t.Errorf("the headline is %q", v.Headline)
			}
		})
	}
}
