package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"rollcall/harness/command"
	"rollcall/harness/host"
)

// heartbeat is how often a long step says that it is alive.
const heartbeat = 15 * time.Second

// A builder builds one node image.
type builder struct {
	version string
	folder  string // of all builds: parts and logs
	out     io.Writer
	log     *os.File
	began   time.Time
	step    int // steps begun
	steps   int // steps in all
}

func build(ctx context.Context, w io.Writer, folder, version string) (err error) {
	if err := os.MkdirAll(filepath.Join(folder, "parts"), 0o755); err != nil {
		return fmt.Errorf("nodeimage: %w", err)
	}
	log, err := os.Create(filepath.Join(folder, version+".log"))
	if err != nil {
		return fmt.Errorf("nodeimage: %w", err)
	}
	defer log.Close()
	programs := parts(version)
	b := &builder{version: version, folder: folder, out: w, log: log, began: time.Now(), steps: len(programs) + 4}
	work := filepath.Join(folder, "work-"+version)
	if err := b.do("tools", func() error { return b.tools(ctx) }); err != nil {
		return err
	}
	if err := b.part(ctx, "debian", debian.Suite, debian, func(dir string) error { return b.debian(ctx, dir) }); err != nil {
		return err
	}
	for _, p := range programs {
		if err := b.part(ctx, p.Name, p.Version, p, func(dir string) error { return b.compile(ctx, p, dir) }); err != nil {
			return err
		}
	}
	if err := b.do("assemble", func() error { return b.assemble(ctx, work) }); err != nil {
		return err
	}
	if err := b.do("load", func() error { return b.load(ctx, work) }); err != nil {
		return err
	}
	fmt.Fprintf(w, "built %s in %s; log %s\n", tag(version), time.Since(b.began).Round(time.Second), log.Name())
	return os.RemoveAll(work)
}

// do runs one step with progress lines; an error names the step, the command and its last lines, and the log.
func (b *builder) do(name string, step func() error) error {
	b.step++
	began := time.Now()
	say := func(format string, args ...any) {
		fmt.Fprintf(b.out, "node image %s  %s  [%d/%d] %s %s\n", b.version, clock(time.Since(b.began)), b.step, b.steps, name, fmt.Sprintf(format, args...))
	}
	say("...")
	fmt.Fprintf(b.log, "=== %s\n", name)
	done := make(chan error, 1)
	go func() { done <- step() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("nodeimage: step %s: %w: log %s", name, err, b.log.Name())
			}
			say("done in %s", clock(time.Since(began)))
			return nil
		case <-time.After(heartbeat):
			say("for %s", clock(time.Since(began)))
		}
	}
}

// part makes a part in a temporary folder and moves it to its name when it is whole; one that is
// there already is taken as it is.
func (b *builder) part(ctx context.Context, name, version string, inputs any, make func(dir string) error) error {
	final := b.partDir(name, version, inputs)
	if _, err := os.Stat(final); err == nil {
		b.step++
		return nil
	}
	return b.do(name+" "+version, func() error {
		dir := final + ".partial"
		if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
			return err
		}
		if err := make(dir); err != nil {
			return err
		}
		return os.Rename(dir, final)
	})
}

func (b *builder) partDir(name, version string, inputs any) string {
	return filepath.Join(b.folder, "parts", fmt.Sprintf("%s-%s-%s", name, version, hash(inputs)))
}

// programs is the folder of a finished part.
func (b *builder) programs(name string) string {
	for _, p := range parts(b.version) {
		if p.Name == name {
			return b.partDir(p.Name, p.Version, p)
		}
	}
	panic("nodeimage: no part " + name)
}

// run runs a command of a step; its output goes to the log.
func (b *builder) run(ctx context.Context, c command.Command) (string, error) {
	fmt.Fprintf(b.log, "$ %s\n", c.Line)
	c.Log = b.log
	return c.Run(ctx)
}

// tools installs what a build runs, where it is missing: the archive keyring is for Ubuntu hosts.
func (b *builder) tools(ctx context.Context) error {
	needs := map[string]string{
		"/usr/sbin/debootstrap": "debootstrap", "/usr/bin/gcc": "gcc", "/usr/bin/pkg-config": "pkg-config",
		"/usr/include/seccomp.h": "libseccomp-dev", "/usr/include/stdlib.h": "libc6-dev",
		"/usr/share/keyrings/debian-archive-keyring.gpg": "debian-archive-keyring",
	}
	var missing []string
	for file, pkg := range needs {
		if _, err := os.Stat(file); err != nil {
			missing = append(missing, pkg)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return host.AptInstall(ctx, missing...)
}

func clock(d time.Duration) string {
	d = d.Round(time.Second)
	return fmt.Sprintf("%02d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// cores bounds the compiler.
func cores() int { return runtime.NumCPU() }
