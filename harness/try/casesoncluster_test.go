package try

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/testenv"
)

// measured has the advice that only says what was measured.
const measured = "RC3007"

var adviceCode = regexp.MustCompile(`\bRC3\d{3}\b`)

// TestCasesOnACluster tries each case as its owner would, on a cluster of each mode that MODES names, which is kept. `make cases` runs it.
func TestCasesOnACluster(t *testing.T) {
	testenv.Need(t, testenv.Cases)
	root, err := layout.Find()
	if err != nil {
		t.Fatal(err)
	}
	modes := []string{"iptables"}
	if text := os.Getenv("MODES"); text != "" {
		if modes, err = dataplane.Parse(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			for _, c := range userCases {
				if c.cluster != nil {
					t.Run(c.name, func(t *testing.T) { c.try(t, filepath.Join(root.Module, "out", "bin", "rollcall"), mode) })
				}
			}
		})
	}
}

func (c userCase) try(t *testing.T, program, mode string) {
	file, to := c.manifests(t, t.TempDir())
	args := []string{"try", "--keep", "--modes=" + mode, "--filename=" + file}
	for _, option := range [][2]string{{"--service", c.service}, {"--workload", c.workload}, {"--to", to}} {
		if option[1] != "" {
			args = append(args, option[0]+"="+option[1])
		}
	}
	cmd := exec.CommandContext(t.Context(), program, slices.Concat(args, c.cluster.more)...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	said := strings.Join(strings.Fields(string(out)), " ") // lines are broken anywhere
	for _, fault := range c.cluster.faults(cmd.ProcessState.ExitCode(), said) {
		t.Error(fault)
	}
	if t.Failed() {
		t.Logf("%s; it said:\n%s", c.sentence, out)
	}
}

// faults returns what is wrong with the output of a case.
func (o onCluster) faults(exit int, said string) (faults []string) {
	if !slices.Contains(strings.Fields(o.exit), strconv.Itoa(exit)) {
		faults = append(faults, "exit code "+strconv.Itoa(exit)+", want "+o.exit)
	}
	given, wanted, may := adviceCode.FindAllString(said, -1), strings.Fields(o.advice), append(strings.Fields(o.may), measured)
	for _, code := range wanted {
		if !slices.Contains(given, code) {
			faults = append(faults, "advice "+code+" is missing")
		}
	}
	for _, code := range slices.Compact(slices.Sorted(slices.Values(given))) {
		if !slices.Contains(wanted, code) && !slices.Contains(may, code) {
			faults = append(faults, "advice "+code+" is given")
		}
	}
	if !strings.Contains(said, o.says) {
		faults = append(faults, "it does not say: "+o.says)
	}
	return faults
}
