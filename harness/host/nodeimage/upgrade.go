package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/kube"
)

// upgradeRevision is part of the hash in the folder's name. Raise it when the content of the folder changes.
const upgradeRevision = 2

// UpgradeTo copies the files for an upgrade out of the version's node image, which it first ensures. It keeps them beside the parts of
// node images, so that a second call does nothing. It prints progress to w.
func UpgradeTo(ctx context.Context, w io.Writer, version string) (u kube.Upgrade, err error) {
	if version, err = kube.Resolve(version); err != nil {
		return u, err
	}
	image, err := Ensure(ctx, w, version)
	if err != nil {
		return u, err
	}
	id, err := imageID(ctx, image)
	if err != nil {
		return u, fmt.Errorf("nodeimage: %w", err)
	}
	err = host.WithLock(ctx, w, "upgrade-"+version, "unpacks the node image "+version, func(state string) error {
		folder, inputs := filepath.Join(state, "nodeimage"), partInputs{upgradeRevision, id}
		u = kube.Upgrade{Version: version, Folder: partDir(folder, "upgrade", version, inputs)}
		if exists(u.Folder) {
			return nil
		}
		steps, err := NewBuilder(w, folder, "upgrade-"+version+".log", "upgrade to "+version, 1)
		if err != nil {
			return fmt.Errorf("nodeimage: %w", err)
		}
		defer steps.Close()
		err = steps.Part("upgrade", version, inputs, func(dir string) error { return unpackImage(ctx, steps, image, dir) })
		if err == nil {
			err = steps.RemoveOthers("upgrade", version, inputs)
		}
		if err != nil {
			return fmt.Errorf("nodeimage: %w", err)
		}
		return nil
	})
	return u, err
}

// exportImages is a script for a container of a node image. It writes an archive of each image that the node's kubeadm uses, with the
// node's containerd, which runs without CRI because that would need a privileged container. The export is --local: through the transfer
// API, ctr may close the file before all of the stream is in it, and exit with 0 (containerd v2.3.7, 2 of 60 exports on a busy host).
const exportImages = `set -e
cat >/tmp/containerd.toml <<'END'
version = 2
disabled_plugins = ["io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri"]
END
containerd --config /tmp/containerd.toml >/tmp/containerd.log 2>&1 &
until ctr version >/dev/null 2>&1; do
	kill -0 $! || { tail -n 5 /tmp/containerd.log >&2; exit 1; }
	sleep 0.2
done
mkdir -p /` + kube.ImagesFolder + `
for ref in $(kubeadm config images list --kubernetes-version "$(cat /kind/version)" 2>/dev/null); do
	name=${ref##*/}
	ctr --namespace k8s.io images export --local "/` + kube.ImagesFolder + `/${name%%:*}.tar" "$ref"
done
`

// unpackImage copies the programs and the pods' images out of a node image into dir.
func unpackImage(ctx context.Context, steps *Builder, image, dir string) (err error) {
	id, err := steps.Line(ctx, "docker create --interactive --network none --entrypoint /bin/sh %s", image)
	if err != nil {
		return err
	}
	defer func() {
		_, failed := steps.Line(context.WithoutCancel(ctx), "docker rm --force --volumes %s", id)
		err = errors.Join(err, failed)
	}()
	copied := func(from string) error {
		_, err := steps.Line(ctx, "docker cp %s:%s %s/", id, from, dir)
		return err
	}
	for _, program := range kube.UpgradePrograms() {
		if err := copied("/usr/bin/" + program); err != nil {
			return err
		}
	}
	start := command.Command{Line: "docker start --attach --interactive " + id, Stdin: strings.NewReader(exportImages)}
	if _, err := steps.Run(ctx, start); err != nil {
		return err
	}
	if err := copied("/" + kube.ImagesFolder); err != nil {
		return err
	}
	if found, err := os.ReadDir(filepath.Join(dir, kube.ImagesFolder)); err != nil || len(found) == 0 {
		return errors.Join(err, fmt.Errorf("node image %s has no images of pods", image))
	}
	return nil
}
