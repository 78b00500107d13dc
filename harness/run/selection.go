package run

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/usage"
)

// A Selection says which scenarios of which suites run. The zero value is all of the profile.
type Selection struct {
	Suites  string // separated by commas or spaces; empty: all
	Pattern string // regular expression for names of scenarios; empty: all of the profile
	Skip    string // regular expression for names of scenarios that do not run; empty: none
	Failed  string // run folder: run only scenarios that neither passed nor were skipped there; empty: none
}

// List returns the flags of the selection.
func (s *Selection) List() usage.List {
	return usage.List{
		{Flag: "suites", Topic: usage.Scenarios, Default: usage.Environment, Text: &s.Suites,
			Help: "`suites` to run, separated by commas or spaces (default all)"},
		{Flag: "run", Topic: usage.Scenarios, Text: &s.Pattern,
			Help: "run only scenarios whose name matches this `pattern`, a regular expression"},
		{Flag: "skip", Topic: usage.Scenarios, Text: &s.Skip, Help: "run no scenario whose name matches this `pattern`"},
		{Flag: "failed", Topic: usage.Scenarios, Text: &s.Failed,
			Help: "run only what failed, was inconclusive or was not recorded in this run `folder`"},
	}
}

// Names returns the names of the selected suites, and an error if there is no such suite.
func (s Selection) Names(all map[string][]harness.Scenario) ([]string, error) {
	have := slices.Sorted(maps.Keys(all))
	want := strings.FieldsFunc(s.Suites, func(r rune) bool { return r == ',' || r == ' ' })
	if len(want) == 0 {
		return have, nil
	}
	var once []string
	for _, suite := range want {
		if !slices.Contains(have, suite) {
			return nil, usage.New("--suites="+suite, "it does not exist", "choose one that rollcall list shows"+usage.Meant(suite, have...))
		}
		if !slices.Contains(once, suite) {
			once = append(once, suite)
		}
	}
	return once, nil
}

// wanted returns a function that reports whether a scenario is selected. failed returns which scenarios of a run folder are to be repeated.
func (s Selection) wanted(failed func(folder string) (map[progress.Name]bool, error)) (func(progress.Name) bool, error) {
	named, err := pattern("--run=", s.Pattern)
	if err != nil {
		return nil, err
	}
	skipped, err := pattern("--skip=", s.Skip)
	if err != nil {
		return nil, err
	}
	var again map[progress.Name]bool
	if s.Failed != "" {
		if again, err = failed(s.Failed); err != nil {
			return nil, err
		}
	}
	return func(of progress.Name) bool {
		return named.MatchString(of.Scenario) && (s.Skip == "" || !skipped.MatchString(of.Scenario)) && (again == nil || again[of])
	}, nil
}

func pattern(option, text string) (*regexp.Regexp, error) {
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, usage.New(option+text, err.Error(), "use a regular expression, such as '^drained-'")
	}
	return compiled, nil
}

// nothing returns the error that scenarios of a profile are selected from these suites, and there are none.
func (s Selection) nothing(suites []string, profile harness.Profile) error {
	what, why := "--suites="+strings.Join(suites, ","), fmt.Sprintf("profile %s has no scenario of them", profile)
	switch {
	case s.Failed != "":
		what, why = "--failed="+s.Failed, "nothing there failed or was inconclusive, of what the other options select"
	case s.Pattern != "":
		what, why = "--run="+s.Pattern, fmt.Sprintf("the suites have no such scenario in profile %s", profile)
	case s.Skip != "":
		what, why = "--skip="+s.Skip, fmt.Sprintf("it leaves no scenario of profile %s", profile)
	}
	return usage.New(what, why, "name others: rollcall list shows them")
}
