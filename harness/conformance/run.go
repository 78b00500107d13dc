package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"rollcall/harness/cluster"
	"rollcall/harness/command"
	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/host"
	"rollcall/harness/layout"
	"rollcall/harness/nodeimage"
	"rollcall/harness/progress"
	"rollcall/harness/runner"
	"rollcall/harness/usage"
	"rollcall/harness/verdict"
	"rollcall/reports"
	"rollcall/reports/page"
	"rollcall/reports/trend"
)

// A conformance run drives the compiled suites: those of a mode side by side, and as many modes at once as the machine carries.
type conformance struct {
	runner  runner.Runner
	suites  string
	pattern string
	session evidence.Session // as it began
	lend    []string         // environment by which suites need not find out again what the target is
	board   *progress.Board

	mu     sync.Mutex
	failed []suiteRun // suites whose process ended with 1
	broken []string   // what kept scenarios from being recorded
}

// A suiteRun is one suite in one mode.
type suiteRun struct{ mode, suite string }

// suitePatience bounds one suite in one mode; a suite then ends by itself, with its evidence.
const suitePatience = 2 * time.Hour

// run does it all and returns the exit code.
func (c *conformance) run(ctx context.Context) int {
	suites, err := selectSuites(c.runner.Layout(), c.suites)
	if err != nil {
		return complain(err)
	}
	if c.runner.DryRun {
		return c.list(ctx, suites)
	}
	began := time.Now().UTC()
	root := c.runner.Layout().Runs()
	folder := filepath.Join(root, began.Format("20060102-150405"))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return complain(usage.New("run folder "+folder, err.Error(), "make "+root+" writable"))
	}
	c.runner.Out = folder
	c.session = store.NewSession(filepath.Base(folder), began)
	if err := c.begin(ctx, suites); err != nil {
		return complain(errors.Join(err, os.RemoveAll(folder)))
	}
	unseen := c.watched(ctx, func(lines io.Writer) { err = c.modes(ctx, lines, suites) })
	if unseen != nil {
		c.broken = append(c.broken, unseen.Error())
	}
	if usage.Is(err) && !c.recorded() {
		return complain(errors.Join(err, os.RemoveAll(folder)))
	}
	if ctx.Err() != nil {
		c.broken = append(c.broken, "interrupted")
	}
	if err := errors.Join(runner.RemoveTurns(folder), c.runner.Leave(len(c.broken) > 0)); err != nil {
		c.broken = append(c.broken, err.Error())
	}
	if _, err := runner.EditSession(folder, func(s *evidence.Session) {
		s.Broken = append(append(s.Broken, c.broken...), c.runner.Broken()...)
		s.Ended = time.Now().UTC()
	}); err != nil {
		return complain(err)
	}
	return c.report(root, folder)
}

// begin makes sure that a run is possible, says how long it will take, and begins the run folder.
func (c *conformance) begin(ctx context.Context, suites []string) error {
	if err := c.prepare(ctx, suites); err != nil {
		return err
	}
	listed, err := c.listed(ctx, suites)
	if err != nil {
		return err
	}
	p := c.plan(listed)
	if p.recorded() == 0 && p.skipped == 0 {
		return usage.New("run "+c.pattern, fmt.Sprintf("of profile %s none of the suites %s has such a scenario", p.profile, strings.Join(suites, ", ")),
			"name others, or use -profile=full; -dry-run lists them")
	}
	if err := c.addImage(ctx, &p); err != nil {
		return err
	}
	p.print(os.Stdout)
	c.session.Command = c.command(suites)
	c.session.Profile, c.session.LeftOut, c.session.Expected = string(c.runner.ProfileName()), p.leftOut, p.seconds()
	c.session.Rate, c.session.Jobs = c.runner.FirstRate(), c.runner.FirstJobs()
	if err := store.WriteJSON(evidence.SessionPath(c.runner.Out), c.session); err != nil {
		return err
	}
	if err := c.runner.Join(c.session); err != nil {
		return err
	}
	if c.board, err = progress.Open(c.runner.Out, "", c.session.ID, c.session.Began); err != nil {
		return err
	}
	c.board.Expect(p.expected)
	return nil
}

// addImage adds to a plan what making the node image takes.
func (c *conformance) addImage(ctx context.Context, p *plan) (err error) {
	if !c.runner.Attached() {
		p.image, err = nodeimage.Expected(ctx, c.runner.Version())
	}
	return err
}

// command reproduces the run.
func (c *conformance) command(suites []string) string {
	line := fmt.Sprintf("out/bin/conformance run -modes=%s -suites=%s -k8s=%s -profile=%s -agents-per-node=%d -run=%q -keep=%v",
		strings.Join(c.runner.ModeList(), ","), strings.Join(suites, ","), c.runner.Version(), c.runner.ProfileName(), c.runner.Agents(), c.pattern, c.runner.Keep)
	for _, option := range [][2]string{{"jobs", c.runner.Jobs}, {"rate", c.runner.Rate}, {"app", c.runner.App}} {
		if option[1] != "" {
			line += " -" + option[0] + "=" + option[1]
		}
	}
	return strings.Join(append([]string{line}, c.runner.Args()...), " ")
}

// modes runs the suites on a cluster of each mode. The next is made while the last is removed.
func (c *conformance) modes(ctx context.Context, lines io.Writer, suites []string) error {
	room := make(chan struct{}, c.runner.ModesAtOnce())
	var all errgroup.Group
	for _, mode := range c.runner.ModeList() {
		room <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() error {
			recorded := sync.OnceFunc(func() { <-room })
			defer recorded()
			err := c.mode(ctx, lines, mode, suites, recorded)
			if err != nil {
				fmt.Fprintf(lines, "%s: %v\n", mode, err)
				c.breaks(fmt.Sprintf("%s: %v", mode, err))
			}
			return err
		})
	}
	return all.Wait()
}

func (c *conformance) breaks(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = append(c.broken, what)
}

// selectSuites checks the suites asked for against those there are; none asked for is all.
func selectSuites(home layout.Layout, asked string) ([]string, error) {
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
			return nil, usage.New("suite "+suite, "there is none of this name", "use some of "+strings.Join(have, ", "))
		}
		if !slices.Contains(once, suite) {
			once = append(once, suite)
		}
	}
	return once, nil
}

// prepare makes the host able, or finds out whether a run is possible on the target, and compiles the suites.
func (c *conformance) prepare(ctx context.Context, suites []string) error {
	if c.runner.Attached() {
		env, err := c.runner.Preflight(ctx, os.Stdout, c.session.ID)
		if err != nil {
			return err
		}
		c.lend = []string{env}
		return c.compile(ctx, os.Stdout, suites)
	}
	facts, err := c.runner.Check(ctx, os.Stdout)
	facts.Print(os.Stdout)
	if err != nil {
		return err
	}
	return c.compile(ctx, os.Stdout, suites)
}

// compile makes a test binary of each suite, where there are none; in one command, which links two at a time.
func (c *conformance) compile(ctx context.Context, out io.Writer, suites []string) error {
	if c.runner.Layout().Prebuilt {
		return nil
	}
	fmt.Fprintln(out, "compiling", strings.Join(suites, ", "))
	_, err := command.Command{
		Line: fmt.Sprintf("go test -c -o %q ./suites/%s", filepath.Dir(c.runner.Layout().Program(suites[0]))+"/", strings.Join(suites, " ./suites/")),
		Dir:  c.runner.Layout().Folder,
		Env:  []string{"GOGC=400"}, // as for the node image
	}.Run(ctx)
	return err
}

// list prints what a run would do and how long that would take, and does nothing of it.
func (c *conformance) list(ctx context.Context, suites []string) int {
	if c.runner.Attached() {
		if _, err := c.runner.Preflight(ctx, os.Stdout, ""); err != nil {
			return complain(err)
		}
	}
	if err := c.compile(ctx, io.Discard, suites); err != nil {
		return complain(err)
	}
	listed, err := c.listed(ctx, suites)
	if err == nil {
		err = runner.PrintList(os.Stdout, listed)
	}
	if err != nil {
		return complain(err)
	}
	p := c.plan(listed)
	err = c.addImage(ctx, &p)
	p.print(os.Stdout)
	return complain(err)
}

// listed asks every suite for its scenarios.
func (c *conformance) listed(ctx context.Context, suites []string) ([]runner.Listed, error) {
	file, err := os.CreateTemp("", "rollcall-list-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	for _, suite := range suites {
		for _, mode := range c.runner.ModeList() {
			cmd := exec.CommandContext(ctx, c.runner.Layout().Program(suite), append(c.flags(mode), "-dry-run")...)
			cmd.Dir = c.runner.Layout().Folder
			cmd.Env = append(append(os.Environ(), runner.ListFile+"="+file.Name()), c.lend...)
			if said, err := cmd.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("suite %s cannot be listed: %w: %s", suite, err, command.LastLines(string(said), 3))
			}
		}
	}
	var all []runner.Listed
	for lines := json.NewDecoder(file); ; {
		var l runner.Listed
		switch err := lines.Decode(&l); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, l)
	}
}

// mode runs the suites on one cluster; in a mode this host cannot run they only note that. It calls recorded when the
// next mode may have the machine.
func (c *conformance) mode(ctx context.Context, lines io.Writer, mode string, suites []string, recorded func()) (err error) {
	if c.runner.Attached() {
		return errors.Join(c.all(ctx, lines, mode, suites, c.lend), c.runner.WaitTargetGone(ctx))
	}
	if supported, because := host.Probe(ctx).SupportsMode(mode); !supported {
		fmt.Fprintf(lines, "mode %s is skipped: %s\n", mode, because)
		return c.all(ctx, lines, mode, suites, nil)
	}
	c.board.Do("opening the cluster for " + mode)
	held, err := c.runner.OpenCluster(ctx, io.MultiWriter(lines, &doing{board: c.board}), mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	err = c.all(ctx, lines, mode, suites, []string{held.Lend()})
	recorded()
	if held.Temporary() {
		return err // and all that suites left goes with it
	}
	return errors.Join(err, c.runner.WaitGone(ctx, held))
}

// all runs the suites side by side, with more in their environment.
func (c *conformance) all(ctx context.Context, lines io.Writer, mode string, suites, env []string) error {
	var running errgroup.Group
	if c.runner.Namespaces != "" {
		running.SetLimit(1) // each takes the namespaces that were given for its own
	}
	said := &prefixed{to: lines}
	for _, suite := range suites {
		running.Go(func() error {
			source := said.as(mode + " " + suite)
			return errors.Join(c.suite(ctx, source, mode, suite, env), source.Close())
		})
	}
	return running.Wait()
}

// suite runs one compiled suite. That scenarios failed is for the report to say, see unexplained;
// an error is that the suite did not run to its end.
func (c *conformance) suite(ctx context.Context, lines io.Writer, mode, suite string, env []string) error {
	args := append(c.flags(mode), "-test.v", "-test.timeout="+suitePatience.String(), "-out="+c.runner.Out)
	cmd := exec.CommandContext(ctx, c.runner.Layout().Program(suite), args...)
	cmd.Dir = c.runner.Layout().Folder
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	cmd.Stdout, cmd.Stderr = lines, lines
	runtime.LockOSThread() // the kernel takes the end of the thread that started a child for its parent's
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		c.mu.Lock()
		defer c.mu.Unlock()
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
	args := []string{"-k8s=" + c.runner.Version(), fmt.Sprintf("-agents-per-node=%d", c.runner.Agents()), "-profile=" + string(c.runner.ProfileName()),
		fmt.Sprintf("-jobs=%d", c.runner.FirstJobs())}
	if slices.Contains(cluster.Modes, mode) {
		args = append(args, "-modes="+mode)
	}
	if c.runner.App != "" {
		args = append(args, "-app="+c.runner.App)
	}
	if c.pattern != "" {
		args = append(args, "-test.run=/"+mode+"/("+c.pattern+")")
	}
	return append(args, c.runner.Args()...)
}

// recorded reports whether there is a run of any scenario.
func (c *conformance) recorded() bool {
	runs, err := filepath.Glob(filepath.Join(evidence.Folder(c.runner.Out), "*", "*", "*", evidence.RunFile))
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

// report judges what was recorded, writes the run folder's reports and points out/latest at it.
func (c *conformance) report(root, folder string) int {
	report, err := reports.Load(folder)
	if err != nil {
		return complain(err)
	}
	if broken := unexplained(c.failed, report); len(broken) > 0 {
		if _, err := runner.EditSession(folder, func(s *evidence.Session) { s.Broken = append(s.Broken, broken...) }); err != nil {
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
