package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/nodeimage"
	"example.com/rollcall/harness/usage"
)

// bundle puts into dir what the suites are run from where there is neither the repository nor a compiler: the programs, the
// images of the pods and the configuration of the cluster.
func (o Options) bundle(ctx context.Context, w io.Writer, dir string) error {
	for program, pkg := range map[string]string{"rollcall": "./reports/rollcall", "ociruntime": "./harness/host/ociruntime"} {
		build := command.GoBuild{Module: o.Module, Out: filepath.Join(dir, program), Packages: []string{pkg}}
		if err := build.Run(ctx); err != nil {
			return err
		}
	}
	config, err := os.ReadFile(filepath.Join(o.Module, "kind-config.yaml"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "kind-config.yaml"), config, 0o644)
	}
	images := filepath.Join(dir, "images")
	if err = errors.Join(err, o.SaveImages(ctx, images)); err != nil {
		return err
	}
	metricsServer, err := nodeimage.MetricsServer(ctx, w)
	if usage.Is(err) {
		fmt.Fprintln(w, err) // what needs it says so too, and is skipped
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(images, nodeimage.MetricsServerFile), metricsServer, 0o644)
}
