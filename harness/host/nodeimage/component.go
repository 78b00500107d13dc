package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/usage"
)

// Component returns the path of the program of a component in a version, such as "v1.35.3". The first call compiles it, with progress on
// w. If the version's sources cannot be downloaded the error is a [usage.Error].
func Component(ctx context.Context, w io.Writer, name kube.Component, version string) (string, error) {
	return kubernetesPart(string(name), version, "cmd/"+string(name)).program(ctx, w)
}

// program returns the path of the program of a part that is in no node image. The first call compiles it; a lock keeps other processes
// from doing so at the same time.
func (p goPart) program(ctx context.Context, w io.Writer) (path string, err error) {
	err = host.WithLock(ctx, w, p.Name, "compiles "+p.Name, func(state string) error {
		folder := filepath.Join(state, "nodeimage")
		path = filepath.Join(p.folder(folder), p.Name)
		return compileAlone(ctx, w, folder, p)
	})
	return path, err
}

func compileAlone(ctx context.Context, w io.Writer, folder string, part goPart) error {
	if part.built(folder) {
		return nil
	}
	steps, err := NewBuilder(w, folder, part.Name+".log", part.label(), 2)
	if err != nil {
		return fmt.Errorf("nodeimage: %w", err)
	}
	defer steps.Close()
	b := &builder{steps, "", folder, filepath.Join(folder, "work-"+part.Name)}
	err = errors.Join(b.compileAll(ctx, []goPart{part}), os.RemoveAll(b.work))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNoSources) && ctx.Err() == nil:
		return usage.New(part.label(), errNoSources.Error()+": "+command.LastLine(err),
			sourcesRemedy(err))
	}
	return fmt.Errorf("nodeimage: %w", err)
}
