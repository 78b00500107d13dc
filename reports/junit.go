package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"rollcall/harness/verdict"
)

// The JUnit elements, as far as the usual readers agree on them. Names of suites and cases are
// stable and free of numbers, being keys into years of history; mode and numbers are properties.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []junitSuite `xml:"testsuite"`
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
// inconclusive one an error, and so is a run that broke.
func JUnit(w io.Writer, r Report) error {
	all := junitSuites{Name: "rollcall"}
	var whole tally
	for i := 0; i < len(r.Scenarios); {
		first := i
		for i < len(r.Scenarios) && r.Scenarios[i].Suite == r.Scenarios[first].Suite && r.Scenarios[i].Mode == r.Scenarios[first].Mode {
			i++
		}
		all.Suites = append(all.Suites, newJUnitSuite(r.Scenarios[first:i]))
	}
	for _, s := range r.Scenarios {
		whole.add(s)
	}
	if broken := strings.Join(r.Run.Broken, "; "); broken != "" {
		s := Scenario{Suite: "session", ID: "infrastructure", Because: broken}
		all.Suites = append(all.Suites, newJUnitSuite([]Scenario{s}))
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

// A tally counts scenarios the way JUnit does.
type tally struct {
	tests, failures, errors, skipped int
	seconds                          float64
}

func (t *tally) add(s Scenario) {
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

func (t *tally) counts() junitCounts {
	return junitCounts{Tests: t.tests, Failures: t.failures, Errors: t.errors, Skipped: t.skipped, Time: decimal(t.seconds)}
}

// newJUnitSuite takes the scenarios of one suite and mode, at least one.
func newJUnitSuite(scenarios []Scenario) junitSuite {
	suite := junitSuite{Name: legal(scenarios[0].Suite)}
	suite.Properties.add("mode", scenarios[0].Mode)
	var began time.Time
	var counted tally
	for _, s := range scenarios {
		counted.add(s)
		if !s.Began.IsZero() && (began.IsZero() || s.Began.Before(began)) {
			began = s.Began
		}
		suite.Cases = append(suite.Cases, newJUnitCase(s))
	}
	suite.junitCounts = counted.counts()
	if !began.IsZero() {
		suite.Timestamp = began.Format("2006-01-02T15:04:05") // the schema's form, in UTC
	}
	return suite
}

func newJUnitCase(s Scenario) junitCase {
	c := junitCase{Class: legal(s.Suite), Name: legal(s.ID), Time: decimal(s.Seconds), Properties: newJUnitProperties(s)}
	reason := &junitReason{Message: legal(s.Because), Type: s.Outcome.String()}
	var lines []string
	for _, rule := range s.Rules {
		if rule.Outcome == verdict.Fail || rule.Outcome == verdict.Inconclusive {
			lines = append(lines, fmt.Sprintf("%s %s: %s", rule.Outcome, rule.ID, rule.Because))
		}
	}
	reason.Text = legal(strings.Join(lines, "\n"))
	switch s.Outcome {
	case verdict.Fail:
		c.Failure = reason
	case verdict.Inconclusive:
		c.Error = reason
	case verdict.Skipped:
		reason.Type = ""
		c.Skipped = reason
	case verdict.Pass:
	}
	return c
}

func newJUnitProperties(s Scenario) junitProperties {
	var p junitProperties
	p.add("mode", s.Mode)
	p.add("claim", s.Claim)
	p.add("evidence", s.Evidence)
	p.add("attempts", fmt.Sprint(s.Attempts))
	if len(s.Lanes) == 0 {
		return p
	}
	requests, failed, lost := 0, 0, 0
	logged := false
	for _, lane := range s.Lanes {
		requests += lane.Requests
		failed += lane.Failed()
		if lane.LostReplies != nil {
			lost += *lane.LostReplies
			logged = true
		}
	}
	p.add("requests", fmt.Sprint(requests))
	p.add("failed", fmt.Sprint(failed))
	if logged {
		p.add("lost_replies", fmt.Sprint(lost))
	}
	for _, n := range []struct {
		name  string
		value *float64
	}{{"status_gap_ms", s.Numbers.StatusGap}, {"mixed_window_ms", s.Numbers.MixedWindow}} {
		if n.value != nil {
			p.add(n.name, decimal(*n.value))
		}
	}
	for _, n := range []struct {
		name  string
		value *int
	}{{"min_available", s.Numbers.MinAvailable}, {"max_pods", s.Numbers.MaxPods}} {
		if n.value != nil {
			p.add(n.name, fmt.Sprint(*n.value))
		}
	}
	for _, n := range []struct {
		name string
		lags *Lags
	}{{"drain_lag", s.Numbers.DrainLag}, {"rule_lag", s.Numbers.RuleLag}} {
		if n.lags != nil {
			p.add(n.name+"_p50_ms", decimal(n.lags.P50))
			p.add(n.name+"_max_ms", decimal(n.lags.Max))
		}
	}
	return p
}

func (p *junitProperties) add(name, value string) {
	p.Properties = append(p.Properties, junitProperty{Name: name, Value: legal(value)})
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
