package nodeimage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/layout"
)

// MetricsServerImage is the name of metrics-server's image. MetricsServerFile is the name of its archive among ready-made
// images, as in the lab.
const (
	MetricsServerImage = "rollcall.local/metrics-server:v0.9.0"
	MetricsServerFile  = "metrics-server.tar"
)

// MetricsServer returns metrics-server's image for nodes of any version, as a docker archive. The first call compiles it, with
// progress on w. If its sources cannot be downloaded the error is a [usage.Error].
func MetricsServer(ctx context.Context, w io.Writer) ([]byte, error) {
	if home, err := layout.Find(); err == nil && home.Images != "" {
		if made, err := os.ReadFile(filepath.Join(home.Images, MetricsServerFile)); err == nil {
			return made, nil
		}
	}
	program, err := metricsServer.program(ctx, w)
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp("", "rollcall-metrics-server-")
	if err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	err = pack(ctx, &archive, MetricsServerImage, root, program, "/usr/local/bin/metrics-server")
	return archive.Bytes(), errors.Join(err, os.RemoveAll(root))
}
