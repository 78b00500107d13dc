package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/rollcall/harness/command"
)

// A shown is what a case has shown: the output, and the run folder with its report.
type shown struct {
	exit   int
	output string
	folder string // empty: there is none
	report report
}

// A report has what is compared of report.json.
type report struct {
	Scenarios []struct {
		Outcome, Headline string
		Causes            []cause
		Advice            []struct{ Code string }
	}
}

// A cause is what requests were lost to.
type cause struct {
	Stage, State, Step, Owner string
	Requests                  int
}

func (c cause) String() string { return strings.Join([]string{c.Stage, c.State, c.Step, c.Owner}, "/") }

// is reports whether the cause is one that was written as in [onCluster].
func (c cause) is(wanted string) bool {
	parts := strings.Split(wanted, "/")
	for i, is := range []string{c.Stage, c.State, c.Step, c.Owner} {
		if parts[i] != "*" && !slices.Contains(strings.Split(parts[i], "|"), is) {
			return false
		}
	}
	return true
}

var runFolder = regexp.MustCompile(`(?m)^run folder: (.+)$`)

// read reads the report that an output names, if it names one.
func read(t *testing.T, output string) shown {
	t.Helper()
	s := shown{output: output}
	found := runFolder.FindAllStringSubmatch(output, -1)
	if found == nil {
		return s
	}
	s.folder = found[len(found)-1][1]
	text, err := os.ReadFile(filepath.Join(s.folder, "report.json"))
	if err == nil {
		err = json.Unmarshal(text, &s.report)
	}
	if err != nil {
		t.Error(err)
	}
	return s
}

func (s shown) causes() (all []cause) {
	for _, scenario := range s.report.Scenarios {
		all = append(all, scenario.Causes...)
	}
	return all
}

func (s shown) advice() (codes []string) {
	for _, scenario := range s.report.Scenarios {
		for _, a := range scenario.Advice {
			codes = append(codes, a.Code)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(codes)))
}

// String says in short what was shown.
func (s shown) String() string {
	if s.folder == "" {
		return fmt.Sprintf("shown: exit code %d, no report; it ends with:\n%s", s.exit, command.LastLines(s.output, 10))
	}
	lines := []string{fmt.Sprintf("shown: exit code %d", s.exit)}
	for _, scenario := range s.report.Scenarios {
		lines = append(lines, "  "+scenario.Outcome+": "+scenario.Headline)
	}
	for _, c := range s.causes() {
		lines = append(lines, fmt.Sprintf("  %d requests: %s", c.Requests, c))
	}
	return strings.Join(append(lines, "  advice: "+strings.Join(s.advice(), " "), "  run folder: "+s.folder), "\n")
}

// faults returns what is not as it has to be.
func (o onCluster) faults(s shown) (faults []string) {
	if !slices.Contains(strings.Fields(o.exit), strconv.Itoa(s.exit)) {
		faults = append(faults, "want exit code "+o.exit)
	}
	faults = slices.Concat(faults, o.causeFaults(s.causes()), o.adviceFaults(s.advice()))
	said := strings.Join(strings.Fields(s.output), " ") // lines are broken anywhere
	if !strings.Contains(said, o.says) {
		faults = append(faults, "want it to say: "+o.says)
	}
	if o.never != "" && strings.Contains(said, o.never) {
		faults = append(faults, "want it not to say: "+o.never)
	}
	for i := 0; i < len(o.files); i += 2 {
		if text, err := os.ReadFile(filepath.Join(s.folder, o.files[i])); err != nil || !strings.Contains(string(text), o.files[i+1]) {
			faults = append(faults, "want "+o.files[i]+" to have: "+o.files[i+1])
		}
	}
	return faults
}

func (o onCluster) causeFaults(found []cause) (faults []string) {
	for i, wanted := range strings.Fields(o.causes) {
		at := slices.IndexFunc(found, func(c cause) bool { return c.is(wanted) })
		switch {
		case at < 0:
			faults = append(faults, "want the cause "+wanted)
		case i == 0 && slices.ContainsFunc(found, func(c cause) bool { return c.Requests > found[at].Requests }):
			faults = append(faults, "want no cause of more requests than "+wanted)
		}
	}
	return faults
}

func (o onCluster) adviceFaults(given []string) (faults []string) {
	wanted, may := strings.Fields(o.advice), append(strings.Fields(o.may), measured)
	for _, code := range wanted {
		if !slices.Contains(given, code) {
			faults = append(faults, "want advice "+code)
		}
	}
	for _, code := range given {
		if !slices.Contains(wanted, code) && !slices.Contains(may, code) {
			faults = append(faults, "want no advice "+code)
		}
	}
	return faults
}

func TestFaultsOfWhatIsShown(t *testing.T) {
	most, fewer := cause{"not-listening", "starting", "rollout", "manifest", 80}, cause{"status", "ready", "unknown", "app", 11}
	wanted := onCluster{exit: "1 3", causes: most.String(), advice: "RC3001", may: "RC3006", says: "of 3,129 requests", never: "recovered",
		files: []string{"junit.xml", "<failure"}}
	as := func(change func(*shown)) shown {
		s := read(t, "91 of 3,129\n    requests failed\n\nrun folder: testdata/folder\n")
		s.exit = 1
		change(&s)
		return s
	}
	for _, row := range []struct {
		sentence string
		wanted   onCluster
		shown    shown
		want     string
	}{
		{"as it has to be", wanted, as(func(*shown) {}), ""},
		{"another exit code", wanted, as(func(s *shown) { s.exit = 0 }), "want exit code 1 3"},
		{"causes in any order, and parts that may be several or any", onCluster{exit: "1", causes: "not-listening/*/scale-in|rollout/manifest " +
			fewer.String(), advice: "RC3001"}, as(func(*shown) {}), ""},
		{"a cause that is not found", onCluster{exit: "1", causes: "tls/ready/rollout/manifest", advice: "RC3001"}, as(func(*shown) {}),
			"want the cause tls/ready/rollout/manifest"},
		{"one of few requests", onCluster{exit: "1", causes: fewer.String(), advice: "RC3001"}, as(func(*shown) {}),
			"want no cause of more requests than status/ready/unknown/app"},
		{"advice that is missing, and advice that is wrong", onCluster{exit: "1", advice: "RC3002"}, as(func(*shown) {}),
			"want advice RC3002; want no advice RC3001"},
		{"another sentence", wanted, as(func(s *shown) { s.output = "91 failed; recovered" }),
			"want it to say: of 3,129 requests; want it not to say: recovered"},
		{"another report", onCluster{exit: "1", advice: "RC3001", files: []string{"junit.xml", "<skipped"}}, as(func(*shown) {}),
			"want junit.xml to have: <skipped"},
		{"no report", wanted, as(func(s *shown) { *s = shown{exit: 2, output: "Error: of 3,129 requests"} }),
			"want exit code 1 3; want the cause " + most.String() + "; want advice RC3001; want junit.xml to have: <failure"},
	} {
		if got := strings.Join(row.wanted.faults(row.shown), "; "); got != row.want {
			t.Errorf("%s: %s\nwant %s", row.sentence, got, row.want)
		}
	}
	const said = `shown: exit code 1
  fail: 91 of 3,129 requests failed
  80 requests: not-listening/starting/rollout/manifest
  11 requests: status/ready/unknown/app
  advice: RC3001 RC3007
  run folder: testdata/folder`
	if got := as(func(*shown) {}).String(); got != said {
		t.Errorf("it is shown as\n%s\nwant\n%s", got, said)
	}
}
