package reports_test

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.com/rollcall/reports"
)

// junitSchema has the elements and attributes that readers of JUnit agree on, by the element that they may be in.
func junitSchema() map[string][]string {
	counts := []string{"@name", "@tests", "@failures", "@errors", "@skipped", "@time", "@timestamp"}
	reason := []string{"@message", "@type", "#text"}
	return map[string][]string{
		"":           {"testsuites"},
		"testsuites": append([]string{"testsuite"}, counts...),
		"testsuite":  append([]string{"properties", "testcase"}, counts...),
		"testcase":   {"@name", "@classname", "@time", "properties", "failure", "error", "skipped", "system-out"},
		"properties": {"property"},
		"property":   {"@name", "@value"},
		"failure":    reason, "error": reason, "skipped": {"@message"}, "system-out": {"#text"},
	}
}

type junitCounts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type junitFile struct {
	junitCounts
	Suites []struct {
		Name string `xml:"name,attr"`
		junitCounts
		Cases []struct {
			Name    string     `xml:"name,attr"`
			Class   string     `xml:"classname,attr"`
			Time    string     `xml:"time,attr"`
			Failure []struct{} `xml:"failure"`
			Error   []struct{} `xml:"error"`
			Skipped []struct{} `xml:"skipped"`
			Output  string     `xml:"system-out"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// outsideSchema lists what the schema does not have by its place, such as testcase/@file.
func outsideSchema(t *testing.T, data []byte) (strangers []string) {
	t.Helper()
	schema, path := junitSchema(), []string{""}
	check := func(name string) {
		for _, known := range schema[path[len(path)-1]] {
			if known == name {
				return
			}
		}
		strangers = append(strangers, path[len(path)-1]+"/"+name)
	}
	dec := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := dec.Token()
		if token == nil {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			check(token.Name.Local)
			path = append(path, token.Name.Local)
			for _, attr := range token.Attr {
				check("@" + attr.Name.Local)
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			if len(bytes.TrimSpace(token)) > 0 {
				check("#text")
			}
		}
	}
	return strangers
}

func TestJUnitIsTheCommonSchema(t *testing.T) {
	dir := runFolder(t)
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Run.Broken = []string{"nftables: no cluster"}
	junit := []byte(printed(t, reports.JUnit, r))
	for _, stranger := range outsideSchema(t, junit) {
		t.Errorf("%s is not of the schema", stranger)
	}
	var file junitFile
	if err := xml.Unmarshal(junit, &file); err != nil {
		t.Fatal(err)
	}
	var all junitCounts
	attached, names := 0, map[string]bool{}
	for _, suite := range file.Suites {
		var counted junitCounts
		for _, c := range suite.Cases {
			if strings.ContainsAny(suite.Name+c.Class+c.Name, "0123456789 ") {
				t.Errorf("%s %s %s is not a name for years", suite.Name, c.Class, c.Name)
			}
			if _, err := strconv.ParseFloat(c.Time, 64); err != nil || c.Class != suite.Name {
				t.Errorf("%s: its class is %s, its time %v", c.Name, c.Class, err)
			}
			if names[c.Class+" "+c.Name] {
				t.Errorf("two cases are %s %s", c.Class, c.Name)
			}
			names[c.Class+" "+c.Name] = true
			if n := len(c.Failure) + len(c.Error) + len(c.Skipped); n > 1 {
				t.Errorf("%s ended in %d ways", c.Name, n)
			}
			counted.Tests++
			counted.Failures += len(c.Failure)
			counted.Errors += len(c.Error)
			counted.Skipped += len(c.Skipped)
			for line := range strings.Lines(c.Output) {
				path, ok := strings.CutPrefix(strings.TrimSpace(line), "[[ATTACHMENT|")
				if !ok {
					continue
				}
				attached++
				if _, err := os.Stat(filepath.Join(dir, strings.TrimSuffix(path, "]]"))); err != nil {
					t.Errorf("%s: attached is what is not there: %v", c.Name, err)
				}
			}
		}
		if counted.Time = suite.Time; counted != suite.junitCounts {
			t.Errorf("suite %s says %+v, it has %+v", suite.Name, suite.junitCounts, counted)
		}
		all.Tests, all.Failures, all.Errors, all.Skipped = all.Tests+counted.Tests, all.Failures+counted.Failures, all.Errors+counted.Errors,
			all.Skipped+counted.Skipped
	}
	if all.Time = file.Time; all != file.junitCounts {
		t.Errorf("the file says %+v, it has %+v", file.junitCounts, all)
	}
	if want := 2*3 + 1; attached != want { // run.json, hits and events of what failed and what is inconclusive, and the diagnostics
		t.Errorf("%d files are attached, want %d", attached, want)
	}
}
