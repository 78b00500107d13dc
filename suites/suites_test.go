package suites_test

// Properties of every scenario, whatever its suite.

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/suites"
	"example.com/rollcall/suites/control"
	"example.com/rollcall/suites/rollout"
	"example.com/rollcall/suites/upgrade"
)

// TestMain accepts the flags of the suites, which go test passes to every package below ./suites, and uses none.
func TestMain(m *testing.M) {
	new(run.Options).List().Register(flag.CommandLine)
	os.Exit(m.Run())
}

func all() map[string][]harness.Scenario { return suites.All() }

// A suite of which nothing is recorded, or a scenario that nothing can decide, would always be green. Some suites are recorded when they
// or the profile full are asked for.
func TestEverySuiteRunsScenariosAndEveryScenarioRules(t *testing.T) {
	for suite, scenarios := range all() {
		recorded := 0
		for _, s := range scenarios {
			if slices.Contains([]string{"regressions", "disruption", "upgrade"}, suite) || s.In(harness.Core) {
				recorded++
			}
			for _, mode := range []string{"iptables", "nftables"} {
				decides := func(x evidence.Expectation) bool {
					return judges(x.Rule) && (x.Modes == nil || slices.Contains(x.Modes, mode))
				}
				if !slices.ContainsFunc(s.Expect, decides) {
					t.Errorf("%s/%s expects nothing of a cluster in mode %s", suite, s.ID, mode)
				}
			}
			for _, x := range s.Expect {
				if len(x.Claims) > 0 && !judges(x.Rule) {
					t.Errorf("%s/%s has %s decide %v, whatever the cluster does", suite, s.ID, x.Rule, x.Claims)
				}
			}
		}
		if recorded == 0 {
			t.Errorf("the profile core records no scenario of suite %s", suite)
		}
	}
}

// judges reports whether a rule can fail; some hold whatever the cluster does.
func judges(rule string) bool { return rule != "noted" && rule != "full-rate" }

func TestAllListsEverySuite(t *testing.T) {
	files, err := filepath.Glob("*/suite_test.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if suite := filepath.Base(filepath.Dir(file)); all()[suite] == nil {
			t.Errorf("suite %s is not tested here", suite)
		}
	}
}

// findable reports whether a search of a suite's files for a scenario's id, or for the words that it begins with,
// finds where it is made.
func findable(t *testing.T, suite, id string) bool {
	t.Helper()
	files := textsIn(t, suite, func(name string) bool {
		return filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go")
	})
	words := strings.Split(id, "-")
	for n := len(words); n > 0; n-- {
		quoted := `"` + strings.Join(words[:n], "-")
		for _, text := range files {
			if strings.Contains(text, quoted+`"`) || n < len(words) && strings.Contains(text, quoted+"-") {
				return true
			}
		}
	}
	return false
}

func TestScenariosAreWellFormed(t *testing.T) {
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	known := map[string]bool{}
	for _, rule := range verdict.Rules() {
		known[rule.ID] = true
	}
	for suite, scenarios := range all() {
		for _, s := range scenarios {
			t.Run(suite+"/"+s.ID, func(t *testing.T) {
				if !kebab.MatchString(s.ID) {
					t.Errorf("ID %q is not kebab-case without digits", s.ID)
				}
				if !findable(t, suite, s.ID) {
					t.Error("neither its ID nor the words that it begins with stand in quotes in a file of its suite")
				}
				if s.Claim == "" || strings.HasSuffix(s.Claim, ".") || strings.Contains(s.Claim, "\n") {
					t.Errorf("claim %q is not one sentence without a full stop", s.Claim)
				}
				for _, x := range s.Expect {
					for _, part := range x.Claims {
						id := evidence.ClaimOf(part)
						if seed, ok := reports.SeedClaimOf(id); !ok || !slices.Contains(seed.PartsOf(id), part) {
							t.Errorf("%s decides %s, want a claim, or a part of one that has parts: %q", x.Rule, part, seed.PartsOf(id))
						}
					}
				}
				if in, is := s.Kind.(harness.InSteps); is && in.Do == nil || !is && s.UnderLoad().Rollout == nil {
					t.Error("it has neither steps nor a rollout under load")
				}
				for _, name := range s.UnderLoad().Also {
					if !slices.ContainsFunc(evidence.LaneKinds(), func(k evidence.LaneKind) bool { return k.Optional && k.Name == name }) {
						t.Errorf("its load also asks for lanes of kind %q, which is not an optional kind", name)
					}
				}
				if about := suite == "regressions"; about != (s.Bug != nil) {
					t.Errorf("it is of suite %s, and is about a known bug: %v", suite, s.Bug != nil)
				}
				for _, e := range s.Expect {
					if e.Evidence != "" && len(e.Claims) > 0 {
						t.Errorf("what its steps counted of clients decides %q: record that, see Steps.Requests", e.Claims)
					}
					if !known[e.Rule] {
						t.Errorf("expects rule %q, which does not exist", e.Rule)
					}
				}
			})
		}
	}
}

// The default profile leaves out no claim of the seed: in every mode each part of each claim is decided by a rule that can fail, except
// C31, which is about iptables, in ipvs: that writes rules without a pause, so that a loss is left to chance.
func TestCoreDecidesEveryClaim(t *testing.T) {
	decided := map[string]bool{}
	for _, mode := range []string{"iptables", "nftables", "ipvs"} {
		for _, scenarios := range all() {
			for _, s := range scenarios {
				for _, x := range s.Expect {
					for _, part := range x.Claims {
						decided[mode+" "+part] = decided[mode+" "+part] || s.In(harness.Core) && judges(x.Rule) && !verdict.IsPrecondition(x) &&
							(x.Modes == nil || slices.Contains(x.Modes, mode))
					}
				}
			}
		}
		for n := range reports.SeedClaims {
			id := fmt.Sprint("C", n+1)
			seed, _ := reports.SeedClaimOf(id)
			for _, part := range seed.PartsOf(id) {
				if !decided[mode+" "+part] && (mode != "ipvs" || id != "C31") {
					t.Errorf("%s: no scenario of the profile core decides %s", mode, part)
				}
			}
		}
	}
}

// Load balancers keep connections to NodePorts. In core one rollout that must lose nothing and one that has to lose requests are asked
// over such, too, and scenarios that shared a recording with one of them still do.
func TestConnectionsKeptFromOutsideAreAsked(t *testing.T) {
	core := map[string]harness.Scenario{}
	for suite, scenarios := range all() {
		for _, s := range scenarios {
			if s.In(harness.Core) {
				core[suite+"/"+s.ID] = s
			}
		}
	}
	const drained, undrained = "rollout/drained-rolling-update", "control/undrained-rolling-update"
	for _, row := range []struct{ sentence, scenario, shares string }{
		{"pods that drain", drained, drained},
		{"pods that exit at once", undrained, undrained},
		{"the rollout of pods that drain, for its status", "statusgap/status-trap", drained},
		{"the rollout of pods that drain, for how long versions mix", "rollout/one-by-one", drained},
	} {
		s, with := core[row.scenario], core[row.shares]
		load := s.UnderLoad()
		if !slices.Contains(load.Also, evidence.Kept) || !reflect.DeepEqual(s.Kind, with.Kind) || !reflect.DeepEqual(s.App, with.App) {
			t.Errorf("%s: %s has the load %+v, and %s %+v", row.sentence, row.scenario, load, row.shares, with.Kind)
		}
	}
}

// A scenario has to declare what it writes beyond what all scenarios do, since the right to do so may be missing.
func TestScenariosSayWhatTheyUse(t *testing.T) {
	for use, call := range map[string]string{harness.Autoscalers: ".Autoscaler(", harness.Quotas: "fixtures.Quota("} {
		for suite, scenarios := range all() {
			files, err := filepath.Glob(filepath.Join(suite, "*.go"))
			if err != nil {
				t.Fatal(err)
			}
			calls, says := false, false
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				calls = calls || strings.Contains(string(text), call)
			}
			for _, s := range scenarios {
				says = says || slices.Contains(s.Uses, use)
			}
			if calls != says {
				t.Errorf("suite %s calls %s: %v, and says that it uses %s: %v", suite, call, calls, use, says)
			}
		}
	}
}

// A scenario that claims no failure proves nothing unless its twin, which only lacks the drain, sees damage.
func TestTwinsDifferInDrainAlone(t *testing.T) {
	named := func(scenarios []harness.Scenario, id string) harness.Scenario {
		return scenarios[slices.IndexFunc(scenarios, func(s harness.Scenario) bool { return s.ID == id })]
	}
	scenarios := slices.Concat(control.All(), rollout.All(), upgrade.All())
	for twin, of := range map[string]string{"undrained-rolling-update": "drained-rolling-update", "undrained-storm": "storm",
		"undrained-upgrade": "drained-upgrade"} {
		undrained, drained := named(scenarios, twin), named(scenarios, of)
		none := fixtures.App{OnTerm: fixtures.Exit}
		drain := func(a *fixtures.App) fixtures.App {
			was := fixtures.App{PreStopSleep: a.PreStopSleep, Linger: a.Linger, OnTerm: a.OnTerm}
			a.PreStopSleep, a.Linger, a.OnTerm = 0, 0, ""
			return was
		}
		if diff := cmp.Diff(none, drain(&undrained.App)); diff != "" {
			t.Fatalf("%s drains:\n%s", twin, diff)
		}
		if cmp.Equal(drain(&drained.App), none) {
			t.Fatalf("%s does not drain", of)
		}
		if diff := cmp.Diff(undrained.App, drained.App); diff != "" {
			t.Error(diff)
		}
		load := undrained.UnderLoad()
		load.Also, load.Disruption = drained.UnderLoad().Also, drained.UnderLoad().Disruption // one more client, and other drains
		if !reflect.DeepEqual(load, drained.Kind) {
			t.Errorf("the twins differ in load or rollout:\n%+v\n%+v", undrained, drained)
		}
	}
}
