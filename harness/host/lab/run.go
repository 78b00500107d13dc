package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/host/nodeimage"
	"example.com/rollcall/harness/host/setup"
	"example.com/rollcall/harness/usage"
)

// Options say what to run in the lab.
type Options struct {
	Module     string   // folder of the Go module
	Kubernetes string   // version of [kube.Resolve]
	Args       []string // options of rollcall run
	// SaveImages saves the images of the suites' pods into a folder.
	SaveImages func(ctx context.Context, dir string) error
}

// What a lab needs of its host: disk for the build, and memory for a run (measured).
const (
	needDisk   = 8 << 30
	needMemory = 6 << 30
)

// Run builds the lab if it does not exist, runs the suites in it in ipvs mode, and returns the run folder that it copied into
// runs, and the exit code of rollcall run. If the lab hangs or is killed, the folder has what was recorded until then. latest-ipvs, in
// runs, leads to the folder.
func Run(ctx context.Context, w io.Writer, runs string, o Options) (folder string, code int, err error) {
	if runs, err = filepath.Abs(runs); err != nil {
		return "", 0, err
	}
	if err := checkHost(host.Probe(ctx)); err != nil {
		return "", 0, err
	}
	err = host.WithLock(ctx, w, "lab", "uses the lab", func(state string) (err error) {
		folder, code, err = o.buildAndRun(ctx, w, filepath.Join(state, "lab"), runs)
		return err
	})
	return folder, code, err
}

// buildAndRun does what Run says, while it holds the lock of the lab.
func (o Options) buildAndRun(ctx context.Context, w io.Writer, lab, runs string) (folder string, code int, err error) {
	p, err := o.compile(ctx, filepath.Join(lab, "programs"))
	if err != nil {
		return "", 0, fmt.Errorf("lab: %w", err)
	}
	if err := p.check(ctx, o); err != nil {
		return "", 0, err
	}
	if _, err := setup.Ensure(ctx, w); err != nil {
		return "", 0, err
	}
	image, err := nodeimage.Ensure(ctx, w, o.Kubernetes)
	if err != nil {
		return "", 0, err
	}
	im, err := build(ctx, w, lab, image)
	if err != nil {
		return "", 0, err
	}
	work := filepath.Join(lab, "run")
	if err := p.recoverKilled(ctx, w, work, runs); err != nil {
		return "", 0, err
	}
	folder, code, err = o.run(ctx, w, p, work, runs, im)
	if folder == "" {
		return "", code, err
	}
	if unpublished := p.publish(ctx, runs, folder); unpublished != nil {
		fmt.Fprintln(w, unpublished) // the run is complete without it
	}
	return folder, code, err
}

// checkHost returns a [usage.Error] for a host that cannot build or run a lab.
func checkHost(facts host.Facts) error {
	switch {
	case !facts.Root || !facts.Apt:
		return usage.New("ipvs lab", "building it needs root and apt-get", "run this as root on Debian or Ubuntu")
	case facts.CacheDisk.Free < needDisk:
		return usage.New("ipvs lab", fmt.Sprintf("%.1f GiB of disk is free in %s, and %d GiB is needed",
			float64(facts.CacheDisk.Free)/(1<<30), facts.CacheDisk.Folder, needDisk>>30), "free some space")
	case facts.MemoryFree < needMemory:
		return usage.New("ipvs lab", fmt.Sprintf("%.1f GiB of memory is available, and %d GiB is needed",
			float64(facts.MemoryFree)/(1<<30), needMemory>>30), "end other programs")
	}
	return nil
}

// run runs the suites in a lab that is built. work is the folder of this run.
func (o Options) run(ctx context.Context, w io.Writer, p programs, work, runs string, im images) (folder string, code int, err error) {
	shared := filepath.Join(work, "shared")
	if err := errors.Join(os.RemoveAll(work), os.MkdirAll(filepath.Join(shared, "out"), 0o755)); err != nil {
		return "", 0, err
	}
	if err := o.bundle(ctx, w, p, filepath.Join(shared, "rollcall")); err != nil {
		return "", 0, errors.Join(fmt.Errorf("lab: %w", err), os.RemoveAll(work))
	}
	m := machine{kernel: im.kernel, shared: shared,
		root: copyOnWrite(filepath.Join(work, "root.cow"), im.root), docker: copyOnWrite(filepath.Join(work, "docker.cow"), im.docker)}
	console, err := os.Create(work + ".log")
	if err != nil {
		return "", 0, fmt.Errorf("lab: %w", err)
	}
	defer func() { err = errors.Join(err, console.Close()) }()
	began := time.Now()
	fmt.Fprintln(w, "booting the lab")
	code, failure := m.run(ctx, io.MultiWriter(w, console), o.script(runs))
	if failure != nil {
		failure = fmt.Errorf("lab: %w, after %s", failure, time.Since(began).Round(time.Second))
	}
	logErr := keepEngineLog(m, work)
	folder, err = collect(work, runs)
	if err = errors.Join(logErr, err); err != nil {
		return folder, code, errors.Join(failure, err)
	}
	if failure == nil && folder == "" && code == 0 {
		failure = errors.New("lab: it left no run folder")
	}
	if failure != nil && folder != "" {
		err = p.markBroken(ctx, folder, failure)
	}
	if failure != nil {
		failure = fmt.Errorf("%w: its console is in %s", failure, console.Name())
	}
	return folder, code, errors.Join(failure, err)
}

// keepEngineLog copies the log of the guest's engine, if the guest started one.
func keepEngineLog(m machine, work string) error {
	text, err := os.ReadFile(m.file(engineLog))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(work+"."+engineLog, text, 0o644)
}
