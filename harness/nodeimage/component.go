package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"rollcall/harness/command"
	"rollcall/harness/host"
	"rollcall/harness/sharedfile"
	"rollcall/harness/usage"
)

// A Component is a program of Kubernetes that nodes can have of another version than their image has.
type Component string

// The components.
const (
	Kubelet           Component = "kubelet"
	KubeProxy         Component = "kube-proxy"
	ControllerManager Component = "kube-controller-manager"
)

// Program is the path of a component's program of a version, such as "v1.35.3". The first call compiles it, with progress on w. A
// version that cannot be had is a [usage.Error].
func (c Component) Program(ctx context.Context, w io.Writer, version string) (string, error) {
	state, err := host.StateDir()
	if err != nil {
		return "", err
	}
	part := kubernetesPart(string(c), version, "cmd/"+string(c))
	if err := compileAlone(ctx, w, state, part); err != nil {
		return "", err
	}
	return filepath.Join(part.folder(filepath.Join(state, "nodeimage")), string(c)), nil
}

// compileAlone compiles a part that is in no node image, unless that was done before. Only one is compiled at a time.
func compileAlone(ctx context.Context, w io.Writer, state string, part goPart) (err error) {
	held, err := sharedfile.Acquire(ctx, filepath.Join(state, "locks", part.Name+".lock"), func(holder string) {
		fmt.Fprintf(w, "waiting for %s, which compiles %s\n", holder, part.Name)
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	folder := filepath.Join(state, "nodeimage")
	if part.built(folder) {
		return nil
	}
	steps, err := NewBuilder(w, folder, part.Name+".log", part.label(), 1)
	if err != nil {
		return fmt.Errorf("nodeimage: %w", err)
	}
	defer steps.Close()
	b := &builder{steps, "", folder, filepath.Join(folder, "work-"+part.Name)}
	b.Plan([]Step{part.step()})
	err = errors.Join(b.compileAll(ctx, []goPart{part}), os.RemoveAll(b.work))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNoSources) && ctx.Err() == nil:
		return usage.New(part.label(), errNoSources.Error()+": "+command.LastLine(err),
			"have `go env GOPROXY` name a module proxy that answers and has it")
	}
	return fmt.Errorf("nodeimage: %w", err)
}
