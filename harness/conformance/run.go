package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"rollcall/harness"
	"rollcall/harness/command"
	"rollcall/harness/evidence"
	"rollcall/harness/host"
	"rollcall/harness/verdict"
	"rollcall/reports"
	"rollcall/reports/page"
)

// A conformance run drives the compiled suites, one mode after the other.
type conformance struct {
	rig     harness.Rig
	suites  string
	pattern string
	session evidence.Session
	failed  []suiteRun // suites whose process ended with 1
}

// A suiteRun is one suite in one mode.
type suiteRun struct{ mode, suite string }

// suitePatience bounds one suite in one mode; a suite then ends by itself, with its evidence.
const suitePatience = 2 * time.Hour

// run does it all and returns the exit code.
func (c *conformance) run(ctx context.Context) int {
	suites, err := selectSuites(filepath.Join(c.rig.Module(), "suites"), c.suites)
	if err != nil {
		return complain(err)
	}
	began := time.Now().UTC()
	root := filepath.Join(c.rig.Module(), "out")
	folder := filepath.Join(root, began.Format("20060102-150405"))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return complain(host.Refuse("run folder "+folder, err.Error(), "make out/ writable"))
	}
	c.rig.Out = folder
	if err := c.prepare(ctx, suites); err != nil {
		return complain(errors.Join(err, os.RemoveAll(folder)))
	}
	c.session = evidence.NewSession(filepath.Base(folder), began)
	c.session.Command = fmt.Sprintf("out/bin/conformance run -modes=%s -suites=%s -k8s=%s -agents-per-node=%d -run=%q -keep=%v",
		strings.Join(c.rig.ModeList(), ","), strings.Join(suites, ","), c.rig.Version(), c.rig.Agents(), c.pattern, c.rig.Keep)
	if err := c.writeSession(); err != nil {
		return complain(err)
	}
	c.expect(root, suites)
	for _, mode := range c.rig.ModeList() {
		c.do("opening the cluster for %s", mode)
		if err := c.mode(ctx, mode, suites); err != nil {
			if host.Refused(err) && !c.recorded() {
				return complain(errors.Join(err, os.RemoveAll(folder)))
			}
			fmt.Fprintf(os.Stderr, "%s: %v\n", mode, err)
			c.session.Broken = append(c.session.Broken, fmt.Sprintf("%s: %v", mode, err))
		}
		if ctx.Err() != nil {
			c.session.Broken = append(c.session.Broken, "interrupted")
			break
		}
	}
	// The suites may have noted there what they left behind.
	var noted evidence.Session
	if err := evidence.ReadJSON(c.sessionFile(), &noted); err != nil {
		return complain(err)
	}
	c.session.Broken = append(c.session.Broken, noted.Broken...)
	c.session.Ended = time.Now().UTC()
	if err := c.writeSession(); err != nil {
		return complain(err)
	}
	return c.report(root, folder)
}

// selectSuites checks the suites asked for against the folders there are; none asked for is all.
func selectSuites(dir, asked string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "suite_test.go"))
	if err != nil {
		return nil, err
	}
	var have []string
	for _, file := range files {
		have = append(have, filepath.Base(filepath.Dir(file)))
	}
	want := strings.FieldsFunc(asked, func(r rune) bool { return r == ',' || r == ' ' })
	if len(want) == 0 {
		return have, nil
	}
	var once []string
	for _, suite := range want {
		if !slices.Contains(have, suite) {
			return nil, host.Refuse("suite "+suite, "there is none of this name", "use some of "+strings.Join(have, ", "))
		}
		if !slices.Contains(once, suite) {
			once = append(once, suite)
		}
	}
	return once, nil
}

// prepare makes the host able and compiles the suites.
func (c *conformance) prepare(ctx context.Context, suites []string) error {
	facts, err := c.rig.Check(ctx, os.Stdout)
	facts.Print(os.Stdout)
	if err != nil {
		return err
	}
	for _, suite := range suites {
		fmt.Printf("compiling suite %s\n", suite)
		_, err := command.Command{
			Line: fmt.Sprintf("go test -c -o %q ./suites/%s", c.binary(suite), suite), Dir: c.rig.Module(),
		}.Run(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *conformance) binary(suite string) string {
	return filepath.Join(c.rig.Module(), "out", "bin", suite+".test")
}

// mode runs the suites on one cluster; in a mode this host cannot run they only note that.
func (c *conformance) mode(ctx context.Context, mode string, suites []string) (err error) {
	var lend []string
	if supported, because := host.Probe(ctx).Mode(mode); supported {
		held, failed := c.rig.OpenCluster(ctx, os.Stdout, mode)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, held.Close()) }()
		lend = append(lend, held.Lend())
	} else {
		fmt.Printf("mode %s is skipped: %s\n", mode, because)
	}
	var failures []error
	for _, suite := range suites {
		if ctx.Err() != nil {
			break
		}
		failures = append(failures, c.suite(ctx, mode, suite, lend))
	}
	return errors.Join(failures...)
}

// suite runs one compiled suite. That scenarios failed is for the report to say, see unexplained;
// an error is that the suite did not run to its end.
func (c *conformance) suite(ctx context.Context, mode, suite string, env []string) error {
	args := []string{"-test.v", "-test.timeout=" + suitePatience.String(), "-modes=" + mode, "-k8s=" + c.rig.Version(),
		fmt.Sprintf("-agents-per-node=%d", c.rig.Agents()), "-out=" + c.rig.Out}
	if c.pattern != "" {
		args = append(args, "-test.run=/"+mode+"/("+c.pattern+")")
	}
	cmd := exec.CommandContext(ctx, c.binary(suite), args...)
	cmd.Dir = filepath.Join(c.rig.Module(), "suites", suite)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	err := c.watched(ctx, func(lines io.Writer) error {
		cmd.Stdout, cmd.Stderr = lines, lines
		return cmd.Run()
	})
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		c.failed = append(c.failed, suiteRun{mode, suite})
		return nil
	}
	if err != nil {
		return fmt.Errorf("suite %s did not run to its end: %w", suite, err)
	}
	return nil
}

// recorded reports whether there is a run of any scenario.
func (c *conformance) recorded() bool {
	runs, err := filepath.Glob(filepath.Join(c.rig.Out, "evidence", "*", "*", "*", evidence.RunFile))
	return err == nil && len(runs) > 0
}

// unexplained lists the suites that ended with 1 although every scenario they recorded passed or
// was skipped: something went wrong that no scenario tells of, and the run must not be green.
func unexplained(failed []suiteRun, r reports.Report) []string {
	var list []string
	for _, f := range failed {
		told := slices.ContainsFunc(r.Scenarios, func(s reports.Scenario) bool {
			return s.Mode == f.mode && s.Suite == f.suite && (s.Outcome == verdict.Fail || s.Outcome == verdict.Inconclusive)
		})
		if !told {
			list = append(list, fmt.Sprintf("%s: suite %s failed outside its scenarios; see its output", f.mode, f.suite))
		}
	}
	return list
}

func (c *conformance) writeSession() error {
	return evidence.WriteJSON(c.sessionFile(), c.session)
}

func (c *conformance) sessionFile() string {
	return filepath.Join(c.rig.Out, "evidence", evidence.SessionFile)
}

// report judges what was recorded, writes the run folder's reports and points out/latest at it.
func (c *conformance) report(root, folder string) int {
	report, err := reports.Load(folder)
	if err != nil {
		return complain(err)
	}
	if broken := unexplained(c.failed, report); len(broken) > 0 {
		c.session.Broken = append(c.session.Broken, broken...)
		if err := c.writeSession(); err != nil {
			return complain(err)
		}
		if report, err = reports.Load(folder); err != nil {
			return complain(err)
		}
	}
	if err := reports.WriteFolder(folder, report, page.File(folder)); err != nil {
		return complain(err)
	}
	latest := filepath.Join(root, "latest")
	if err := errors.Join(os.RemoveAll(latest), os.Symlink(filepath.Base(folder), latest)); err != nil {
		return complain(err)
	}
	fmt.Println()
	if err := reports.Terminal(os.Stdout, report); err != nil {
		return complain(err)
	}
	fmt.Printf("\nrun folder: %s\n", folder)
	if err := reports.GitHub(os.Stdout, os.Getenv, report); err != nil {
		return complain(err)
	}
	return reports.ExitCode(report)
}
