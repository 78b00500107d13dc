package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/host"
	"rollcall/harness/lock"
	"rollcall/harness/nodeimage"
	"rollcall/harness/usage"
)

// Options say what is run in the lab.
type Options struct {
	Module     string   // folder of the Go module
	Kubernetes string   // version of [nodeimage.Resolve]
	Suites     []string // names
	Pattern    string   // of scenarios, as go test -run has it; empty: all
	Args       []string // further ones of rollcall run
	// SaveImages saves the images of the suites' pods into a folder.
	SaveImages func(ctx context.Context, dir string) error
	// Report writes the report of a run folder that was cut short.
	Report func(folder string) error
}

// What a lab needs of its host: while it is built, and in memory while it runs (measured).
const (
	needDisk   = 8 << 30
	needMemory = 6 << 30
)

// Run builds the lab if it is not there, runs the suites in it in ipvs mode and returns the run folder that it leaves in
// runs, and the exit code of rollcall run there. A lab that hangs, or is killed, leaves what was recorded.
func Run(ctx context.Context, w io.Writer, runs string, o Options) (folder string, code int, err error) {
	state, err := host.StateDir()
	if err == nil {
		runs, err = filepath.Abs(runs)
	}
	if err != nil {
		return "", 0, err
	}
	facts := host.Probe(ctx)
	if err := check(facts); err != nil {
		return "", 0, err
	}
	held, err := lock.Acquire(ctx, filepath.Join(state, "locks", "lab.lock"), func(holder string) {
		fmt.Fprintf(w, "the lab is in use by %s; waiting for it\n", holder)
	})
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if _, err := host.Ensure(ctx, w); err != nil {
		return "", 0, err
	}
	image, err := nodeimage.Ensure(ctx, w, o.Kubernetes)
	if err != nil {
		return "", 0, err
	}
	im, err := build(ctx, w, filepath.Join(state, "lab"), image)
	if err != nil {
		return "", 0, err
	}
	work := filepath.Join(state, "lab", "run")
	if err := o.rescue(w, work, runs); err != nil {
		return "", 0, err
	}
	return o.run(ctx, w, work, runs, im)
}

// check refuses a host that cannot have a lab.
func check(facts host.Facts) error {
	switch {
	case !facts.Root || !facts.Apt:
		return usage.New("ipvs lab", "building it needs root and apt-get", "run this as root on Debian or Ubuntu")
	case facts.CacheDisk.Free < needDisk:
		return usage.New("ipvs lab", fmt.Sprintf("%.1f GiB of disk are free", float64(facts.CacheDisk.Free)/(1<<30)), fmt.Sprintf("free space until %d GiB are", needDisk>>30))
	case facts.MemoryFree < needMemory:
		return usage.New("ipvs lab", fmt.Sprintf("%.1f GiB of memory are available", float64(facts.MemoryFree)/(1<<30)), fmt.Sprintf("free memory until %d GiB are", needMemory>>30))
	}
	return nil
}

// run runs the suites in a lab that is built; work is a folder of this run alone, which nothing of stays.
func (o Options) run(ctx context.Context, w io.Writer, work, runs string, im images) (folder string, code int, err error) {
	jail := filepath.Join(work, "jail")
	if err := errors.Join(os.RemoveAll(work), os.MkdirAll(filepath.Join(jail, "out"), 0o755)); err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if err := o.bundle(ctx, w, filepath.Join(jail, "rollcall")); err != nil {
		return "", 0, fmt.Errorf("lab: %w", err)
	}
	m := machine{kernel: im.kernel, jail: jail,
		root: copyOnWrite(filepath.Join(work, "root.cow"), im.root), docker: copyOnWrite(filepath.Join(work, "docker.cow"), im.docker)}
	console, err := os.Create(work + ".log")
	if err != nil {
		return "", 0, fmt.Errorf("lab: %w", err)
	}
	defer func() { err = errors.Join(err, console.Close()) }()
	began := time.Now()
	fmt.Fprintln(w, "booting the lab")
	code, broke := m.run(ctx, io.MultiWriter(w, console), o.task(runs))
	if broke != nil {
		broke = fmt.Errorf("lab: %w, after %s", broke, time.Since(began).Round(time.Second))
	}
	engine, err := os.ReadFile(m.file(engineLog))
	if err == nil {
		err = os.WriteFile(work+"."+engineLog, engine, 0o644)
	}
	if errors.Is(err, os.ErrNotExist) { // it did not get that far
		err = nil
	}
	folder, left := bringBack(filepath.Join(jail, "out"), runs)
	if err = errors.Join(err, left); err != nil {
		return folder, code, errors.Join(broke, err)
	}
	if broke == nil && folder == "" && code == 0 {
		broke = errors.New("lab: it left no run folder")
	}
	if broke != nil && folder != "" {
		err = o.cutShort(folder, broke)
	}
	if broke != nil {
		broke = fmt.Errorf("%w: its console is in %s", broke, console.Name())
	}
	return folder, code, errors.Join(broke, err)
}

// rescue brings back what a lab that was killed together with us had recorded.
func (o Options) rescue(w io.Writer, work, runs string) error {
	folder, err := bringBack(filepath.Join(work, "jail", "out"), runs)
	if folder == "" || err != nil {
		return err
	}
	fmt.Fprintf(w, "the lab before this one was killed; what it recorded is in %s\n", folder)
	return errors.Join(o.cutShort(folder, errors.New("lab: it was killed")), os.RemoveAll(work))
}

// cutShort has the report of a run folder say why there is no more in it.
func (o Options) cutShort(folder string, why error) error {
	file := evidence.SessionPath(folder)
	var session evidence.Session
	if err := store.ReadJSON(file, &session); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	session.Broken = append(session.Broken, why.Error())
	return errors.Join(store.WriteJSON(file, session), o.Report(folder))
}

// Remove removes everything of the lab, unless somebody uses it.
func Remove() error {
	state, err := host.StateDir()
	if err != nil {
		return err
	}
	held, err := lock.Try(filepath.Join(state, "locks", "lab.lock"))
	if errors.Is(err, lock.ErrHeld) {
		return usage.New("ipvs lab", "it is in use", "wait for its end")
	}
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(filepath.Join(state, "lab")), held.Release())
}

// task is what the guest does. It calls the folder of its runs by the name that it has here, so that what it says of a run
// folder is true when that is back.
func (o Options) task(runs string) string {
	args := []string{"run", "--modes=ipvs", "--k8s=" + o.Kubernetes, "--suites=" + strings.Join(o.Suites, ",")}
	if o.Pattern != "" {
		args = append(args, "--run="+o.Pattern)
	}
	args = append(args, o.Args...)
	for i, arg := range args {
		args[i] = quote(arg)
	}
	return fmt.Sprintf("runs=%s\nmkdir -p \"$runs\" && mount --bind /lab/out \"$runs\" && cd /lab/rollcall && ARTIFACTS=\"$runs\" CI=true exec ./rollcall %s\n",
		quote(runs), strings.Join(args, " "))
}

// quote makes one word of a shell of a text.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// bringBack moves the one run folder that the guest left to where run folders are; empty if it left none.
func bringBack(from, to string) (folder string, err error) {
	left, err := filepath.Glob(filepath.Join(from, "*", "evidence"))
	if err != nil || len(left) == 0 {
		return "", err
	}
	was := filepath.Dir(left[0])
	folder = filepath.Join(to, filepath.Base(was))
	if err := os.MkdirAll(to, 0o755); err != nil {
		return "", err
	}
	if _, err := os.Stat(folder); err == nil {
		folder += "-ipvs"
	}
	return folder, os.CopyFS(folder, os.DirFS(was))
}
