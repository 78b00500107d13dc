package reports

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"rollcall/harness/verdict"
	"rollcall/reports/model"
)

// The JUnit elements, as far as the usual readers agree on them. Names of suites and cases are
// stable and free of numbers, being keys into years of history; numbers are properties. The class of a case has its mode, too: of
// cases with the same class and name GitLab counts the first alone (docs.gitlab.com, "Unit test reports").
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
		Properties junitProperties `xml:"properties"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitCounts struct {
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Time     string `xml:"time,attr"` // seconds
	}
	junitCase struct {
		Class      string          `xml:"classname,attr"`
		Name       string          `xml:"name,attr"`
		Time       string          `xml:"time,attr"` // seconds
		Properties junitProperties `xml:"properties"`
		Failure    *junitReason    `xml:"failure"`
		Error      *junitReason    `xml:"error"`
		Skipped    *junitReason    `xml:"skipped"`
		Output     string          `xml:"system-out,omitempty"`
	}
	junitProperties struct {
		Properties []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitReason struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes junit.xml, one testsuite per suite and mode. A claim that failed is a failure, an
// inconclusive one an error, and so is a run that broke. What did not pass has its files attached.
func JUnit(w io.Writer, r model.Report) error {
	all := junitSuites{Name: "rollcall", Timestamp: stamp(r.Run.Began)}
	var whole junitTotals
	for i := 0; i < len(r.Scenarios); {
		first := i
		for i < len(r.Scenarios) && r.Scenarios[i].Suite == r.Scenarios[first].Suite && r.Scenarios[i].Mode == r.Scenarios[first].Mode {
			i++
		}
		all.Suites = append(all.Suites, newJUnitSuite(r.Run.Profile, r.Scenarios[first:i]))
	}
	for _, s := range r.Scenarios {
		whole.add(s)
	}
	if broken := strings.Join(r.Run.Broken, "; "); broken != "" {
		s := model.Scenario{Suite: "session", ID: "infrastructure", Because: broken}
		all.Suites = append(all.Suites, newJUnitSuite(r.Run.Profile, []model.Scenario{s}))
		whole.add(s)
	}
	all.junitCounts = whole.counts()

	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("reports: write junit: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("reports: write junit: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("reports: write junit: %w", err)
	}
	return nil
}

// junitTotals count scenarios the way JUnit does.
type junitTotals struct {
	tests, failures, errors, skipped int
	seconds                          float64
}

func (t *junitTotals) add(s model.Scenario) {
	t.tests++
	t.seconds += s.Seconds
	switch s.Outcome {
	case verdict.Fail:
		t.failures++
	case verdict.Inconclusive:
		t.errors++
	case verdict.Skipped:
		t.skipped++
	case verdict.Pass:
	}
}

func (t *junitTotals) counts() junitCounts {
	return junitCounts{Tests: t.tests, Failures: t.failures, Errors: t.errors, Skipped: t.skipped, Time: decimal(t.seconds)}
}

// newJUnitSuite takes the scenarios of one suite and mode, at least one.
func newJUnitSuite(profile string, scenarios []model.Scenario) junitSuite {
	suite := junitSuite{Name: legal(scenarios[0].Suite)}
	suite.Properties.add("mode", scenarios[0].Mode)
	suite.Properties.add("profile", profile)
	var began time.Time
	var counted junitTotals
	for _, s := range scenarios {
		counted.add(s)
		if !s.Began.IsZero() && (began.IsZero() || s.Began.Before(began)) {
			began = s.Began
		}
		suite.Cases = append(suite.Cases, newJUnitCase(s))
	}
	suite.junitCounts = counted.counts()
	suite.Timestamp = stamp(began)
	return suite
}

// stamp is a time in the form JUnit has for it, which is UTC without saying so; empty for no time.
func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05")
}

func newJUnitCase(s model.Scenario) junitCase {
	c := junitCase{Class: legal(strings.TrimPrefix(s.Mode+"."+s.Suite, ".")), Name: legal(s.ID), Time: decimal(s.Seconds),
		Properties: newJUnitProperties(s)}
	reason := &junitReason{Message: legal(headline(s)), Type: s.Outcome.String(), Text: legal(details(s))}
	switch s.Outcome {
	case verdict.Fail:
		c.Failure, c.Output = reason, legal(output(s))
	case verdict.Inconclusive:
		c.Error, c.Output = reason, legal(output(s))
	case verdict.Skipped:
		reason.Type = ""
		c.Skipped = reason
	case verdict.Pass:
	}
	return c
}

// details are a line for every rule that did not hold, and below it its facts and its whole reason.
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
	return strings.Join(lines, "\n")
}

// output is what became of the requests, and then a line for every file to look at, by its path from the
// run folder, in the form that readers of JUnit take for an attachment.
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

// newJUnitProperties is where whatever is not stable goes: the version, where to look and every number.
func newJUnitProperties(s model.Scenario) junitProperties {
	var p junitProperties
	p.add("mode", s.Mode)
	p.add("kubernetes", s.Kubernetes)
	p.add("claim", s.Claim)
	p.add("covers", strings.Join(s.Covers, " "))
	if s.Bug != nil {
		p.add("bug", s.Bug.Issue)
		p.add("bug_answer", string(s.Bug.Answer))
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

// add leaves out what has no value.
func (p *junitProperties) add(name, value string) {
	if value != "" {
		p.Properties = append(p.Properties, junitProperty{Name: name, Value: legal(value)})
	}
}

func decimal(x float64) string { return fmt.Sprintf("%.3f", x) }

// legal drops the characters XML 1.0 cannot carry, even escaped.
func legal(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
		case r < 0x20, r == 0xFFFE, r == 0xFFFF:
			return -1
		}
		return r
	}, s)
}
