package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/host/nodeimage"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/usage"
)

// bundle writes into dir what suites need to run without the repository and a compiler: the programs, the images of the pods and
// the configuration of the cluster.
func (o Options) bundle(ctx context.Context, w io.Writer, p programs, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(string(p))); err != nil {
		return err
	}
	images := filepath.Join(dir, "images")
	config := copyFile(filepath.Join(o.Module, "kind-config.yaml"), filepath.Join(dir, "kind-config.yaml"))
	if err := errors.Join(config, o.SaveImages(ctx, images)); err != nil {
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
	return copyFile(metricsServer, filepath.Join(images, kube.MetricsServerFile))
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
