package nodeimage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"rollcall/harness/buildcache"
	"rollcall/harness/command"
	"rollcall/harness/host"
	"rollcall/harness/lock"
	"rollcall/harness/usage"
)

// MetricsServerImage is the name of metrics-server's image, and MetricsServerFile that of its archive where it comes ready made:
// in the folder of images beside programs of ours that came without their sources.
const (
	MetricsServerImage = "rollcall.local/metrics-server:v0.9.0"
	MetricsServerFile  = "metrics-server.tar"
)

// MetricsServer gives metrics-server's image for nodes of any version, as a docker archive. It is compiled when it is first
// asked for, with progress printed to w. A host that its sources do not come to is refused.
func MetricsServer(ctx context.Context, w io.Writer) ([]byte, error) {
	if self, err := os.Executable(); err == nil {
		for _, dir := range []string{filepath.Dir(self), filepath.Dir(filepath.Dir(self))} {
			if made, err := os.ReadFile(filepath.Join(dir, "images", MetricsServerFile)); err == nil {
				return made, nil
			}
		}
	}
	state, err := host.StateDir()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(state, "nodeimage")
	if err := compileMetricsServer(ctx, w, state, everyTurn()); err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp(folder, "metrics-server-")
	if err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	program := filepath.Join(metricsServer.folder(folder), metricsServer.Name)
	err = pack(ctx, &archive, MetricsServerImage, root, program, "/usr/local/bin/metrics-server")
	return archive.Bytes(), errors.Join(err, os.RemoveAll(root))
}

// Prepare compiles what [MetricsServer] will be asked for, while the processors have nothing else to do.
func Prepare(ctx context.Context, w io.Writer) error {
	state, err := host.StateDir()
	if err != nil {
		return err
	}
	return compileMetricsServer(ctx, w, state, idleTurns())
}

func compileMetricsServer(ctx context.Context, w io.Writer, state string, turns turns) (err error) {
	held, err := lock.Acquire(ctx, filepath.Join(state, "locks", "metrics-server.lock"), func(holder string) {
		fmt.Fprintf(w, "waiting for the metrics-server of %s\n", holder)
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	folder := filepath.Join(state, "nodeimage")
	if metricsServer.made(folder) {
		return nil
	}
	steps, err := buildcache.New(w, folder, "metrics-server.log", metricsServer.Name, 1)
	if err != nil {
		return fmt.Errorf("nodeimage: %w", err)
	}
	defer steps.Close()
	b := &builder{steps, "", folder, filepath.Join(folder, "work-metrics-server"), turns}
	b.Plan([]buildcache.Step{metricsServer.step()})
	err = errors.Join(b.compileAll(ctx, []goPart{metricsServer}), os.RemoveAll(b.work))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNoSources) && ctx.Err() == nil:
		return usage.New(metricsServer.Name, errNoSources.Error()+": "+command.LastLine(err), "have `go env GOPROXY` name a module proxy that answers")
	}
	return fmt.Errorf("nodeimage: %w", err)
}

// turns say how a compiler comes to processors.
type turns struct {
	before string // the program that begins it, with a space
	atOnce int    // packages
}

func everyTurn() turns { return turns{atOnce: cores()} }

// idleTurns are those that nobody else wants (SCHED_IDLE of sched(7)); of groups of version 2 that is nobody of its own group.
func idleTurns() turns {
	if _, err := exec.LookPath("chrt"); err == nil {
		return turns{"chrt --idle 0 ", 1}
	}
	return turns{"nice -n 19 ", 1}
}
