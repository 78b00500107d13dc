package reports

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

// The JUnit elements, as far as the usual readers agree on them. Names of suites and cases are stable and free of numbers, because they are
// keys into years of history; numbers are properties. The class of a case and the name of its suite include the mode: of cases with the
// same class and name GitLab counts only the first (docs.gitlab.com, "Unit test reports").
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Timestamp string       `xml:"timestamp,attr,omitempty"`
		Suites    []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties junitProperties `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitCounts struct {
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Errors   int     `xml:"errors,attr"`
		Skipped  int     `xml:"skipped,attr"`
		Time     decimal `xml:"time,attr"` // seconds
	}
	junitCase struct {
		Class      string          `xml:"classname,attr"`
		Name       string          `xml:"name,attr"`
		Time       decimal         `xml:"time,attr"` // seconds
		Failure    *junitReason    `xml:"failure"`
		Error      *junitReason    `xml:"error"`
		Skipped    *junitReason    `xml:"skipped"`
		Output     string          `xml:"system-out,omitempty"`
		Properties junitProperties `xml:"properties>property"` // last, since there are many and readers show a case in this order
	}
	junitProperties []junitProperty
	junitProperty   struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitReason struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes junit.xml, one testsuite per suite and mode. A claim that failed is a failure; an inconclusive one is an error, and so is a
// run that broke. What did not pass has its files attached.
func JUnit(w io.Writer, r model.Report) error {
	scenarios := r.Scenarios
	if broken := strings.Join(r.Run.Broken, "; "); broken != "" {
		scenarios = append(slices.Clone(scenarios), model.Scenario{Suite: "session", ID: "infrastructure", Because: broken})
	}
	all := junitSuites{Name: "rollcall", Timestamp: stamp(r.Run.Began)}
	for i := 0; i < len(scenarios); {
		first := i
		for i < len(scenarios) && scenarios[i].Suite == scenarios[first].Suite && scenarios[i].Mode == scenarios[first].Mode {
			all.count(scenarios[i])
			i++
		}
		all.Suites = append(all.Suites, newJUnitSuite(r.Run.Profile, scenarios[first:i]))
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("reports: write junit: %w", err)
	}
	return write(w, "junit", fmt.Appendf(nil, "%s%s\n", xml.Header, text))
}

// count counts a scenario the way JUnit does.
func (c *junitCounts) count(s model.Scenario) {
	c.Tests++
	c.Time += decimal(s.Seconds)
	switch s.Outcome {
	case verdict.Fail:
		c.Failures++
	case verdict.Inconclusive:
		c.Errors++
	case verdict.Skipped:
		c.Skipped++
	case verdict.Pass:
	}
}

// newJUnitSuite makes the testsuite of the scenarios of one suite and mode, of which there is at least one.
func newJUnitSuite(profile string, scenarios []model.Scenario) junitSuite {
	suite := junitSuite{Name: className(scenarios[0])}
	suite.Properties.add("mode", scenarios[0].Mode)
	suite.Properties.add("profile", profile)
	var began time.Time
	for _, s := range scenarios {
		suite.count(s)
		if !s.Began.IsZero() && (began.IsZero() || s.Began.Before(began)) {
			began = s.Began
		}
		suite.Cases = append(suite.Cases, newJUnitCase(s))
	}
	suite.Timestamp = stamp(began)
	return suite
}

// stamp formats a time as JUnit does, in UTC without a zone; the zero time is empty.
func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05")
}

func newJUnitCase(s model.Scenario) junitCase {
	c := junitCase{Class: className(s), Name: s.ID, Time: decimal(s.Seconds), Properties: newJUnitProperties(s)}
	reason := &junitReason{Message: s.Brief(), Type: s.Outcome.String(), Text: details(s)}
	switch s.Outcome {
	case verdict.Fail:
		c.Failure, c.Output = reason, output(s)
	case verdict.Inconclusive:
		c.Error, c.Output = reason, output(s)
	case verdict.Skipped:
		reason.Type = ""
		c.Skipped = reason
	case verdict.Pass:
	}
	return c
}

// className returns mode and suite, such as iptables.rollout; without a mode the suite alone.
func className(s model.Scenario) string { return strings.TrimPrefix(s.Mode+"."+s.Suite, ".") }

// details returns a line for every rule that did not hold, and below it the rule's facts and whole reason, and a line for each cause.
func details(s model.Scenario) string {
	var lines []string
	for _, rule := range s.Rules {
		if rule.Outcome != verdict.Fail && rule.Outcome != verdict.Inconclusive {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", rule.Outcome, strings.TrimSpace(rule.Code+" "+rule.ID),
			cmp.Or(rule.Headline, rule.Because)))
		for _, f := range rule.Facts {
			lines = append(lines, fmt.Sprintf("  %s: %s", f.Name, f.Value))
		}
		if why := rule.Reason(); why != "" {
			lines = append(lines, "  "+why)
		}
	}
	for _, c := range s.Causes {
		lines = append(lines, "cause: "+c.Text)
	}
	return strings.Join(lines, "\n")
}

// output returns what became of the requests, and a line for every file to look at, by its path from the run folder, in the form that
// readers of JUnit take for an attachment.
func output(s model.Scenario) string {
	var lines []string
	if said := requestTotals(s); said != "" {
		lines = append(lines, said)
	}
	for _, file := range s.Files {
		lines = append(lines, "[[ATTACHMENT|"+path.Join(s.Evidence, file)+"]]")
	}
	if s.Diagnostics != "" {
		lines = append(lines, "[[ATTACHMENT|"+path.Join(s.Diagnostics, "README.txt")+"]]")
	}
	return strings.Join(lines, "\n")
}

// newJUnitProperties returns what is not stable: the version, where to look and every number.
func newJUnitProperties(s model.Scenario) junitProperties {
	var p junitProperties
	p.add("mode", s.Mode)
	p.add("kubernetes", s.Kubernetes)
	p.add("protocol", strings.Join(s.Protocols(), " "))
	p.add("claim", s.Claim)
	p.add("covers", strings.Join(s.Covers, " "))
	if s.Bug != nil {
		p.add("bug", s.Bug.Issue)
		p.add("bug_answer", string(s.Bug.Answer))
	}
	for _, limit := range s.Limits {
		p.add("limit", strings.TrimSpace(limit.Code+" "+limit.Text))
	}
	p.add("evidence", s.Evidence)
	p.add("diagnostics", s.Diagnostics)
	if s.Attempts > 0 {
		p.add("attempts", fmt.Sprint(s.Attempts))
	}
	for _, m := range s.Measurements() {
		p.add(m.Key(), strconv.FormatFloat(m.Value.Value, 'f', -1, 64))
	}
	return p
}

// add adds a property, unless its value is empty.
func (p *junitProperties) add(name, value string) {
	if value != "" {
		*p = append(*p, junitProperty{Name: name, Value: value})
	}
}

// A decimal is written with three decimals.
type decimal float64

func (d decimal) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%.3f", float64(d)), nil }
