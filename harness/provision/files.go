package provision

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/layout"
)

// Component returns the path of the program of a component in a version, such as "v1.35.3", which the first call compiles. Where that
// cannot be done the error is a [usage.Error].
func Component(ctx context.Context, w io.Writer, name kube.Component, version string) (string, error) {
	return call(ctx, w, string(name)+" "+version, "component", string(name), version)
}

// UpgradeTo returns the files for an upgrade to a version, as [kube.Resolve] takes it.
func UpgradeTo(ctx context.Context, w io.Writer, asked string) (u kube.Upgrade, err error) {
	if u.Version, err = kube.Resolve(asked); err == nil {
		u.Folder, err = call(ctx, w, "upgrade to "+u.Version, "upgrade", u.Version)
	}
	return u, err
}

// NoUpgrade returns why this host cannot have the files for upgrades to these versions; empty if it may.
func NoUpgrade(versions ...string) string {
	if len(versions) == 0 || !missing() {
		return ""
	}
	return "its files are not here: " + toRun("upgrade", versions[0])
}

// MetricsServer returns metrics-server's image for nodes of any version, as a docker archive: the ready-made one, as in the lab, or one
// that the first call compiles. Where that cannot be done the error is a [usage.Error].
func MetricsServer(ctx context.Context, w io.Writer) ([]byte, error) {
	if home, err := layout.Find(); err == nil && home.Images != "" {
		if made, err := os.ReadFile(filepath.Join(home.Images, kube.MetricsServerFile)); err == nil {
			return made, nil
		}
	}
	archive, err := call(ctx, w, "metrics-server", "metrics-server")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(archive)
}
