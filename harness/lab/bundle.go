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

// bundle writes into dir what suites need to run without the repository and a compiler: the programs, the images of the pods and
// the configuration of the cluster.
func (o Options) bundle(ctx context.Context, w io.Writer, dir string) error {
	build := command.Command{Line: fmt.Sprintf(`go build -o "%s/" ./reports/rollcall ./harness/host/ociruntime`, dir), Dir: o.Module,
		Env: []string{"CGO_ENABLED=0"}}
	if _, err := build.Run(ctx); err != nil {
		return err
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
		fmt.Fprintln(w, err) // scenarios that need metrics-server are skipped, with the reason
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(images, nodeimage.MetricsServerFile), metricsServer, 0o644)
}
