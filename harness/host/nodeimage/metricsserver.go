package nodeimage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/sharedfile"
)

// MetricsServer returns the path of the docker archive of metrics-server's image, for nodes of any version. The first call compiles it,
// with progress on w. If its sources cannot be downloaded the error is a [usage.Error].
func MetricsServer(ctx context.Context, w io.Writer) (archive string, err error) {
	program, err := metricsServer.program(ctx, w)
	if err != nil {
		return "", err
	}
	archive = filepath.Join(filepath.Dir(program), kube.MetricsServerFile)
	if exists(archive) {
		return archive, nil
	}
	root, err := os.MkdirTemp("", "rollcall-metrics-server-")
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	err = pack(ctx, &packed, kube.MetricsServerImage, root, program, "/usr/local/bin/metrics-server")
	if err == nil {
		err = sharedfile.Write(archive, packed.Bytes(), 0o644)
	}
	return archive, errors.Join(err, os.RemoveAll(root))
}
