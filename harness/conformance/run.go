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
	"rollcall/harness/cluster"
	"rollcall/harness/command"
	"rollcall/harness/evidence"
	"rollcall/harness/host"
	"rollcall/harness/verdict"
	"rollcall/reports"
	"rollcall/reports/page"
	"rollcall/reports/trend"
)

// A conformance run drives the compiled suites, one mode after the other.
type conformance struct {
	rig     harness.Rig
	suites  string
	pattern string
	session evidence.Session
	lend    []string   // environment by which suites need not find out again what the target is
	failed  []suiteRun // suites whose process ended with 1
}

// A suiteRun is one suite in one mode.
type suiteRun struct{ mode, suite string }

// suitePatience bounds one suite in one mode; a suite then ends by itself, with its evidence.
const suitePatience = 2 * time.Hour

// run does it all and returns the exit code.
func (c *conformance) run(ctx context.Context) int {
	suites, err := selectSuites(c.rig.Home(), c.suites)
	if err != nil {
		return complain(err)
	}
	if c.rig.DryRun {
		return c.list(ctx, suites)
	}
	began := time.Now().UTC()
	root := c.rig.Home().Runs()
	folder := filepath.Join(root, began.Format("20060102-150405"))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return complain(host.Refuse("run folder "+folder, err.Error(), "make "+root+" writable"))
	}
	c.rig.Out = folder
	c.session = evidence.NewSession(filepath.Base(folder), began)
	if err := c.prepare(ctx, suites); err != nil {
		return complain(errors.Join(err, os.RemoveAll(folder)))
	}
	if c.session.Pace, c.session.Calibration, err = c.rig.FindPace(ctx, os.Stdout); err != nil {
		return complain(errors.Join(err, os.RemoveAll(folder)))
	}
	c.session.Command = fmt.Sprintf("out/bin/conformance run -modes=%s -suites=%s -k8s=%s -agents-per-node=%d -run=%q -keep=%v",
		strings.Join(c.rig.ModeList(), ","), strings.Join(suites, ","), c.rig.Version(), c.rig.Agents(), c.pattern, c.rig.Keep)
	if c.session.Pace != "" {
		c.session.Command += " -pace=" + string(c.session.Pace)
	}
	if c.rig.App != "" {
		c.session.Command += " -app=" + c.rig.App
	}
	for _, arg := range c.rig.Args() {
		c.session.Command += " " + arg
	}
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

// selectSuites checks the suites asked for against those there are; none asked for is all.
func selectSuites(home harness.Home, asked string) ([]string, error) {
	have, err := home.Suites()
	if err != nil {
		return nil, err
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

// prepare makes the host able, or finds out whether a run is possible on the target, and compiles the suites.
func (c *conformance) prepare(ctx context.Context, suites []string) error {
	if c.rig.Attached() {
		env, err := c.rig.Admit(ctx, os.Stdout, c.session.ID)
		if err != nil {
			return err
		}
		c.lend = []string{env}
		return c.compile(ctx, os.Stdout, suites)
	}
	facts, err := c.rig.Check(ctx, os.Stdout)
	facts.Print(os.Stdout)
	if err != nil {
		return err
	}
	return c.compile(ctx, os.Stdout, suites)
}

// compile makes a test binary of each suite, where there are none; in one command, which links two at a time.
func (c *conformance) compile(ctx context.Context, out io.Writer, suites []string) error {
	if c.rig.Home().Compiled {
		return nil
	}
	fmt.Fprintln(out, "compiling", strings.Join(suites, ", "))
	_, err := command.Command{
		Line: fmt.Sprintf("go test -c -o %q ./suites/%s", filepath.Dir(c.rig.Home().Program(suites[0]))+"/", strings.Join(suites, " ./suites/")),
		Dir:  c.rig.Home().Folder,
	}.Run(ctx)
	return err
}

// list prints what a run would do, and does nothing of it.
func (c *conformance) list(ctx context.Context, suites []string) int {
	if c.rig.Attached() {
		if _, err := c.rig.Admit(ctx, os.Stdout, ""); err != nil {
			return complain(err)
		}
	}
	if err := c.compile(ctx, io.Discard, suites); err != nil {
		return complain(err)
	}
	for _, suite := range suites {
		for _, mode := range c.rig.ModeList() {
			cmd := exec.CommandContext(ctx, c.rig.Home().Program(suite), c.flags(mode)...)
			cmd.Dir = c.rig.Home().Folder
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			if err := cmd.Run(); err != nil {
				return complain(fmt.Errorf("suite %s cannot be listed: %w", suite, err))
			}
		}
	}
	return 0
}

// mode runs the suites on one cluster; in a mode this host cannot run they only note that.
func (c *conformance) mode(ctx context.Context, mode string, suites []string) (err error) {
	lend := c.lend
	if !c.rig.Attached() {
		supported, because := host.Probe(ctx).Mode(mode)
		if !supported {
			fmt.Printf("mode %s is skipped: %s\n", mode, because)
			return c.all(ctx, mode, suites, nil)
		}
		held, failed := c.rig.OpenCluster(ctx, os.Stdout, mode)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, c.rig.Vacated(ctx, held), held.Close()) }()
		lend = append(lend, held.Lend())
	}
	return c.all(ctx, mode, suites, lend)
}

// all runs the suites one after the other, with more in their environment.
func (c *conformance) all(ctx context.Context, mode string, suites, env []string) error {
	var failures []error
	for _, suite := range suites {
		if ctx.Err() != nil {
			break
		}
		failures = append(failures, c.suite(ctx, mode, suite, env))
	}
	return errors.Join(failures...)
}

// suite runs one compiled suite. That scenarios failed is for the report to say, see unexplained;
// an error is that the suite did not run to its end.
func (c *conformance) suite(ctx context.Context, mode, suite string, env []string) error {
	args := append(c.flags(mode), "-test.v", "-test.timeout="+suitePatience.String(), "-out="+c.rig.Out)
	cmd := exec.CommandContext(ctx, c.rig.Home().Program(suite), args...)
	cmd.Dir = c.rig.Home().Folder
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

// flags make a suite do what was asked of us, in a mode.
func (c *conformance) flags(mode string) []string {
	args := []string{"-k8s=" + c.rig.Version(), fmt.Sprintf("-agents-per-node=%d", c.rig.Agents())}
	if c.session.Pace != "" {
		args = append(args, "-pace="+string(c.session.Pace))
	}
	if slices.Contains(cluster.Modes, mode) {
		args = append(args, "-modes="+mode)
	}
	if c.rig.App != "" {
		args = append(args, "-app="+c.rig.App)
	}
	if c.pattern != "" {
		args = append(args, "-test.run=/"+mode+"/("+c.pattern+")")
	}
	return append(args, c.rig.Args()...)
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
	if err := remember(root, folder); err != nil {
		fmt.Fprintln(os.Stderr, err) // the run is none the worse for it
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

// remember appends the run to the history of all runs beside it, from which rollcall trend and compare know what is usual.
func remember(root, folder string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_, added, err := trend.Append(ctx, filepath.Join(root, "history.jsonl"), []string{folder}, func(string) {})
	return errors.Join(append(added.Bad, err)...)
}
