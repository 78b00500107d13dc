package compare_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/compare"
	"example.com/rollcall/reports/model"
)

var today = time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)

var shown = map[verdict.Outcome]model.ClaimOutcome{verdict.Pass: model.Holds, verdict.Fail: model.Violated,
	verdict.Inconclusive: model.NotShown, verdict.Skipped: model.Skipped}

// side returns a run in iptables mode that ended well, with scenarios that decide the claims that they cover.
func side(id, kubernetes string, scenarios ...model.Scenario) compare.Side {
	var claims []model.Claim
	for i := range scenarios {
		s := &scenarios[i]
		s.Mode = "iptables"
		for _, covered := range s.Covers {
			c := model.Claim{ID: covered, Mode: s.Mode, Outcome: shown[s.Outcome], Because: s.Name() + ": " + s.Because}
			if s.Outcome == verdict.Pass || s.Outcome == verdict.Fail {
				c.DecidedBy = []model.Decision{{Scenario: s.Name(), Rule: "no-failures"}}
			}
			claims = append(claims, c)
		}
	}
	return compare.Side{Report: model.Report{
		Run:       model.Run{ID: id, Began: today.Add(-time.Hour), Ended: today, Version: "v0.1.0"},
		Clusters:  []evidence.Cluster{{Name: "rollcall-iptables", Mode: "iptables", Provider: "kind", Kubernetes: kubernetes}},
		Scenarios: scenarios, Claims: claims,
	}}
}

func scenario(name string, o verdict.Outcome, failed int, covers ...string) model.Scenario {
	suite, id, _ := strings.Cut(name, "/")
	lane := model.Lane{ID: "worker-fresh", RequestedRate: 100, Requests: 3000, Failures: map[evidence.Fault]int{evidence.Refused: failed}}
	s := model.Scenario{ID: id, Suite: suite, Covers: covers, Outcome: o, Because: "of 3000 requests " + fmt.Sprint(failed) + " failed",
		Lanes: []model.Lane{lane}, Terminations: &model.Terminations{Count: 60, Lost: min(failed, 60)}}
	if name == "rollout/drained" { // it allows no failure
		s.Rules = []model.Rule{{ID: "no-failures"}}
	}
	return s
}

func baseline() compare.Side {
	return side("before", "v1.35.4",
		scenario("rollout/drained", verdict.Pass, 0, "C31"), scenario("control/undrained", verdict.Pass, 200, "C35"),
		scenario("statusgap/trap", verdict.Fail, 10, "C1"))
}

func TestDecide(t *testing.T) {
	drained := func(o verdict.Outcome, failed int) compare.Side {
		return side("after", "v1.36.3",
			scenario("rollout/drained", o, failed, "C31"), scenario("control/undrained", verdict.Pass, 210, "C35"),
			scenario("statusgap/trap", verdict.Fail, 10, "C1"))
	}
	held := drained(verdict.Pass, 0) // C1 holds, though a scenario that covers it fails
	for i, c := range held.Report.Claims {
		if c.ID == "C1" {
			held.Report.Claims[i].Outcome = model.Holds
		}
	}
	broken := drained(verdict.Pass, 0)
	broken.Report.Run.Broken = []string{"iptables: suite rollout failed outside its scenarios"}
	except := func(scenario, mode, number, until string) compare.Policy {
		return compare.Policy{Exceptions: []compare.Exception{{Scenario: scenario, Mode: mode, Number: number, Until: until, Because: "known"}}}
	}
	for _, row := range []struct {
		sentence  string
		candidate compare.Side
		policy    compare.Policy
		against   []string // scenario, number and the beginning of the reason
		excepted  int
		notes     int
	}{
		{"what passed passes, and what failed fails: no worse is enough", drained(verdict.Pass, 0), compare.Policy{}, nil, 0, 0},
		{"what passed fails", drained(verdict.Fail, 30), compare.Policy{},
			[]string{"rollout/drained : it passed in the baseline and fails: of 3000",
				" terminations_lost: terminations that lost a request: 0 of 60 in the baseline, 30 of 60 in the candidate; p "}, 0, 0},
		{"what passed is not known any more", drained(verdict.Inconclusive, 0), compare.Policy{},
			[]string{"rollout/drained : it passed in the baseline and is inconclusive"}, 0, 0},
		{"what passed was skipped", drained(verdict.Skipped, 0), compare.Policy{},
			[]string{"rollout/drained : it passed in the baseline and is skipped"}, 0, 0},
		{"what passed was not run", side("after", "v1.36.3", scenario("control/undrained", verdict.Pass, 200, "C35")), compare.Policy{},
			[]string{"rollout/drained : it passed in the baseline and was not run"}, 0, 0},
		{"a number is worse though the scenario passes",
			drained(verdict.Pass, 20), compare.Policy{},
			[]string{" terminations_lost: terminations that lost a request: 0 of 60 in the baseline, 20 of 60 in the candidate; p "}, 0, 0},
		{"something new fails", side("after", "v1.36.3", append(baseline().Report.Scenarios, scenario("rollout/new", verdict.Fail, 1))...),
			compare.Policy{}, []string{"rollout/new : the baseline did not have it and it fails"}, 0, 0},
		{"something new is inconclusive, which is no worse than not to know it",
			side("after", "v1.36.3", append(baseline().Report.Scenarios, scenario("rollout/new", verdict.Inconclusive, 1))...),
			compare.Policy{}, nil,
			0, 0},
		{"the run broke", broken, compare.Policy{}, []string{" : the run broke: iptables: suite rollout"}, 0, 0},
		{"a claim is required that failed before as well", drained(verdict.Pass, 0),
			compare.Policy{Required: compare.Required{Claims: []string{"C1"}}},
			[]string{"statusgap/trap : claim C1 has to hold and is violated: statusgap/trap: of 3000"}, 0, 0},
		{"a claim is required that nothing was run for", drained(verdict.Pass, 0),
			compare.Policy{Required: compare.Required{Claims: []string{"C41"}}},
			[]string{" : claim C41 has to hold, and no scenario that covers it was run"}, 0, 0},
		{"a claim is required, holds, and a scenario that covers it fails by a rule that does not decide it",
			held, compare.Policy{Required: compare.Required{Claims: []string{"C1"}}}, nil, 0, 0},
		{"a scenario is required and passes", drained(verdict.Pass, 0),
			compare.Policy{Required: compare.Required{Scenarios: []string{"rollout/drained"}}}, nil, 0, 0},
		{"a mode is required that was not run", drained(verdict.Pass, 0), compare.Policy{Required: compare.Required{Modes: []string{"nftables"}}},
			[]string{" : nothing was decided in nftables, which the policy requires"}, 0, 0},
		{"what is required and worse is one reason", drained(verdict.Inconclusive, 0),
			compare.Policy{Required: compare.Required{Claims: []string{"C31"}}},
			[]string{"rollout/drained : it passed in the baseline and is inconclusive"}, 0, 0},
		{"all of a scenario is excepted to the end of the day", drained(verdict.Fail, 30), except("rollout/drained", "", "", "2026-11-21"), nil,
			2, 0},
		{"its number alone is excepted", drained(verdict.Fail, 30), except("rollout/drained", "iptables", "terminations_lost", "2026-12-31"),
			[]string{"rollout/drained : it passed in the baseline and fails"}, 1, 0},
		{"the exception is for another mode", drained(verdict.Inconclusive, 0), except("rollout/drained", "nftables", "", "2026-12-31"),
			[]string{"rollout/drained : it passed in the baseline"}, 0, 1},
		{"the exception ended yesterday", drained(verdict.Inconclusive, 0), except("rollout/drained", "", "", "2026-11-20"),
			[]string{"rollout/drained : it passed in the baseline and is inconclusive: of 3000 requests 0 failed; it was accepted until 2026-11-20"},
			0, 0},
		{"an exception that nothing needs is told", drained(verdict.Pass, 0), except("rollout/drained", "", "", "2026-12-31"), nil, 0, 1},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			d, err := compare.Decide(compare.Runs{baseline()}, compare.Runs{row.candidate}, nil, row.policy, compare.History{}, today)
			if err != nil {
				t.Fatal(err)
			}
			want := compare.Go
			switch {
			case len(row.against) > 0:
				want = compare.NoGo
			case row.excepted > 0: // the only scenario that shows what terminations lose
				want = compare.Undecided
			}
			if d.Answer() != want {
				t.Errorf("the answer is %s: %v", d.Answer(), d.Unknown)
			}
			var against []string
			for _, r := range d.Against {
				against = append(against, fmt.Sprintf("%s %s: %s", r.Scenario, r.Number, r.What))
			}
			if !slices.EqualFunc(row.against, against, func(want, got string) bool { return strings.HasPrefix(got, want) }) {
				t.Errorf("against it (-want +got):\n%s", cmp.Diff(row.against, against))
			}
			if len(d.Excepted) != row.excepted || len(d.Notes) != row.notes {
				t.Errorf("excepted %v, notes %v", d.Excepted, d.Notes)
			}
		})
	}
}

// A mode in which everything is skipped, because the host cannot have it, does not stand against go.
func TestASkippedModeDoesNotStandAgainstGo(t *testing.T) {
	with := func(s compare.Side) compare.Side {
		skipped := scenario("rollout/drained", verdict.Skipped, 0)
		skipped.Mode = "ipvs"
		s.Report.Scenarios = append(s.Report.Scenarios, skipped)
		return s
	}
	for _, row := range []struct {
		sentence string
		required compare.Required
		want     compare.Answer
	}{
		{"nothing is required", compare.Required{}, compare.Go},
		{"what is required holds in the other mode", compare.Required{Claims: []string{"C31"}, Scenarios: []string{"rollout/drained"}},
			compare.Go},
		{"the mode itself is required", compare.Required{Modes: []string{"ipvs"}}, compare.NoGo},
	} {
		d, err := compare.Decide(compare.Runs{with(baseline())}, compare.Runs{with(baseline())}, nil, compare.Policy{Required: row.required},
			compare.History{}, today)
		if err != nil || d.Answer() != row.want {
			t.Errorf("%s: %s, %v, %v, %v", row.sentence, d.Answer(), d.Against, d.Unknown, err)
		}
	}
}

// Two runs that could not tell anything, of which the candidate is no worse than its baseline, are not a reason to go.
func TestAModeThatShowedNothingIsNoReasonForGo(t *testing.T) {
	of := func(id string, o verdict.Outcome) compare.Runs {
		return compare.Runs{side(id, "v1.36.3", scenario("rollout/drained", o, 0))}
	}
	for _, row := range []struct {
		sentence            string
		baseline, candidate compare.Runs
	}{
		{"neither showed anything", of("before", verdict.Inconclusive), of("after", verdict.Inconclusive)},
		{"the baseline alone showed nothing", of("before", verdict.Inconclusive), of("after", verdict.Pass)},
	} {
		d, err := compare.Decide(row.baseline, row.candidate, nil, compare.Policy{}, compare.History{}, today)
		if err != nil || d.Answer() != compare.Undecided {
			t.Errorf("%s: %s, %v, %v", row.sentence, d.Answer(), d.Unknown, err)
		}
	}
}

// Go takes as many terminations without a loss as show that no more than 5 % lose one.
func TestGoTakesEnoughTerminations(t *testing.T) {
	of := func(id string, count int) compare.Side {
		s := scenario("rollout/drained", verdict.Pass, 0)
		s.Terminations.Count = count
		return side(id, "v1.36.3", s)
	}
	for _, row := range []struct {
		sentence string
		counts   []int // of the candidate's runs
		want     compare.Answer
	}{
		{"58 show 5.03 %", []int{58}, compare.Undecided},
		{"59 show 4.95 %", []int{59}, compare.Go},
		{"two runs of 30 show as much as one of 60", []int{30, 30}, compare.Go},
	} {
		var candidate compare.Runs
		for i, n := range row.counts {
			candidate = append(candidate, of(fmt.Sprint("after-", i), n))
		}
		d, err := compare.Decide(compare.Runs{of("before", 60)}, candidate, nil, compare.Policy{}, compare.History{}, today)
		if err != nil || d.Answer() != row.want {
			t.Errorf("%s: %s, %v, %v", row.sentence, d.Answer(), d.Unknown, err)
		}
	}
}

func TestRunsWithNothingInCommonCannotBeDecided(t *testing.T) {
	if _, err := compare.Decide(compare.Runs{baseline()}, compare.Runs{side("after", "v1.36.3", scenario("own/shop", verdict.Pass, 0))},
		nil, compare.Policy{}, compare.History{}, today); err == nil {
		t.Error("they are")
	}
}

// Clients may be moved to another mode if the candidate's mode is no worse than the baseline's, whatever the other modes show.
func TestAMoveToAnotherModeIsDecided(t *testing.T) {
	move := []compare.Pair{{A: "iptables", B: "nftables"}}
	run := func(nftables model.Scenario) compare.Runs {
		s := side("night", "v1.36.3", scenario("rollout/drained", verdict.Pass, 0), nftables, scenario("rollout/drained", verdict.Fail, 30))
		s.Report.Scenarios[1].Mode, s.Report.Scenarios[2].Mode = "nftables", "ipvs"
		s.Report.Clusters = append(s.Report.Clusters, evidence.Cluster{Mode: "nftables", Kubernetes: "v1.36.3"},
			evidence.Cluster{Mode: "ipvs", Kubernetes: "v1.36.3"})
		return compare.Runs{s}
	}
	worse := scenario("rollout/drained", verdict.Fail, 30)
	excepted := compare.Policy{Exceptions: []compare.Exception{{Scenario: "rollout/drained", Mode: "nftables", Until: "2026-12-31",
		Because: "known"}}}
	for _, row := range []struct {
		sentence string
		run      compare.Runs
		policy   compare.Policy
		want     compare.Answer
		against  string
	}{
		{"both modes lose nothing", run(scenario("rollout/drained", verdict.Pass, 0)), compare.Policy{}, compare.Go, ""},
		{"the new mode loses requests", run(worse), compare.Policy{}, compare.NoGo, "nftables: it passed in the baseline and fails"},
		{"it is known, and accepted there", run(worse), excepted, compare.Undecided, ""},
		{"the policy requires a mode that is left", run(scenario("rollout/drained", verdict.Pass, 0)),
			compare.Policy{Required: compare.Required{Modes: []string{"iptables"}}}, compare.NoGo, ": nothing was decided in iptables"},
	} {
		d, err := compare.Decide(row.run, row.run, move, row.policy, compare.History{}, today)
		if err != nil {
			t.Fatal(err)
		}
		against := ""
		if len(d.Against) > 0 {
			against = d.Against[0].Mode + ": " + d.Against[0].What
		}
		if d.Answer() != row.want || !strings.HasPrefix(against, row.against) {
			t.Errorf("%s: %s, against it %v, unknown %v", row.sentence, d.Answer(), d.Against, d.Unknown)
		}
		var b bytes.Buffer
		if err := reports.SheetMarkdown(&b, compare.DecisionSheet([]compare.Decision{d})); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"Baseline: run night, Kubernetes v1.36.3 in iptables.",
			"Candidate: run night, Kubernetes v1.36.3 in nftables: "} {
			if !strings.Contains(b.String(), line) || strings.Contains(b.String(), "ipvs") {
				t.Errorf("%s: it does not say %q, or names a third mode:\n%s", row.sentence, line, &b)
			}
		}
	}
}

func TestOnlyRunsOfOneProfileAreDecided(t *testing.T) {
	of := func(folder, profile string) compare.Side {
		s := baseline()
		s.Folder, s.Report.Run.Profile = folder, profile
		return s
	}
	for _, row := range []struct{ sentence, baseline, candidate, err string }{
		{"both are from before there were profiles", "", "", ""},
		{"both are of the same", "core", "core", ""},
		{"before there were profiles everything was run", "", "full", ""},
		{"the candidate ran less", "", "core",
			"--candidate=out/b: it is of profile core, and the baseline of profile full: run the candidate again with --profile=full"},
		{"the candidate ran more", "smoke", "core",
			"--candidate=out/b: it is of profile core, and the baseline of profile smoke: run the candidate again with --profile=smoke"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			_, err := compare.Decide(compare.Runs{of("out/a", row.baseline)}, compare.Runs{of("out/b", row.candidate)}, nil, compare.Policy{},
				compare.History{}, today)
			if got := fmt.Sprint(err); row.err == "" && err != nil || row.err != "" && got != row.err {
				t.Errorf("error %s, want %q", got, row.err)
			}
		})
	}
}

func TestSheet(t *testing.T) {
	policy := compare.Policy{Exceptions: []compare.Exception{{Scenario: "control/undrained", Number: "failed", Until: "2027-01-31",
		Because: "a <known> one | OPS-1"}}}
	var decisions []compare.Decision
	for _, candidate := range []compare.Side{
		side("to-1.36", "v1.36.3", baseline().Report.Scenarios...),
		side("to-1.37", "v1.37.0", scenario("rollout/drained", verdict.Fail, 3, "C31"), scenario("control/undrained", verdict.Pass, 900, "C35"),
			scenario("statusgap/trap", verdict.Pass, 0, "C1")),
	} {
		d, err := compare.Decide(compare.Runs{baseline()}, compare.Runs{candidate}, nil, policy, compare.History{}, today)
		if err != nil {
			t.Fatal(err)
		}
		decisions = append(decisions, d)
	}
	var b bytes.Buffer
	if err := reports.SheetMarkdown(&b, compare.DecisionSheet(decisions)); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/accept.md", b.Bytes())
}

func TestReadPolicy(t *testing.T) {
	const head = "apiVersion: rollcall/v1alpha1\nkind: AcceptancePolicy\n"
	except := func(fields string) string { return head + "exceptions:\n- {" + fields + "}\n" }
	for _, row := range []struct {
		sentence, text, err string
		misses              string // what the schema does not check
	}{
		{"nothing is required", head, "", ""},
		{"everything is said",
			head + "required: {claims: [C1, C41], scenarios: [rollout/drained], modes: [nftables]}\nexceptions:\n- {scenario: rollout/drained, mode: nftables, number: failed, until: 2027-01-31, because: known}\n", "", ""},
		{"a misspelt field", head + "required: {claim: [C1]}", `unknown field "required.claim"`, ""},
		{"a misspelt field of an exception", except("scenario: a/b, till: 2027-01-31, until: 2027-01-31, because: known"),
			`unknown field "exceptions[0].till"`, ""},
		{"a claim that is none", head + "required: {claims: [C1, C42]}", `required.claims[1]: "C42" is not a claim: use C1 to C41`, ""},
		{"a claim without its letter", head + `required: {claims: ["7"]}`, `required.claims[0]: "7" is not a claim`, ""},
		{"a scenario without its suite", head + "required: {scenarios: [drained]}", `required.scenarios[0]: "drained" is not a scenario`, ""},
		{"an exception for everything", except("until: 2027-01-31, because: known"), `exceptions[0].scenario: "" is not a scenario`, ""},
		{"an exception for a number that is not compared", except("scenario: a/b, number: speed, until: 2027-01-31, because: known"),
			`exceptions[0].number: "speed" is not a compared number: use one of failed,`, "numbers"},
		{"an exception without an end", except("scenario: a/b, because: known"), `exceptions[0].until: "" is not a day`, ""},
		{"an exception to a day that is none", except("scenario: a/b, until: 2027-02-30, because: known"),
			`exceptions[0].until: "2027-02-30" is not a day`, ""},
		{"an exception without a reason", except("scenario: a/b, until: 2027-01-31"), `exceptions[0].because: it is empty`, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "policy.yaml")
			if err := os.WriteFile(file, []byte(row.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := compare.ReadPolicy(file)
			if row.err == "" && err != nil || row.err != "" && (err == nil || !strings.HasPrefix(err.Error(), file+": "+row.err)) {
				t.Errorf("%v", err)
			}
			if invalid := violation(t, row.text); (invalid != nil) != (row.err != "" && row.misses == "") {
				t.Errorf("by the schema: %v", invalid)
			}
		})
	}
}

// The policy in the guide is a valid one.
func TestTheGuideShowsARealPolicy(t *testing.T) {
	guide, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin = "apiVersion: rollcall/v1alpha1\nkind: AcceptancePolicy\n"
	_, text, found := strings.Cut(string(guide), begin)
	text, _, closed := strings.Cut(text, "```")
	if !found || !closed {
		t.Fatal("it shows none")
	}
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(file, []byte(begin+text), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := compare.ReadPolicy(file); err != nil || len(p.Required.Claims) == 0 || len(p.Exceptions) == 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// violation returns what the published schema says against a policy.
func violation(t *testing.T, policy string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(compare.PolicySchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("urn:policy", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("urn:policy")
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := usage.Strict([]byte(policy), &value); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}
