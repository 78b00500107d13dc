package nodeimage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"example.com/rollcall/harness/command"
)

// installDirs maps each program that runs on the node itself to its folder there.
var installDirs = map[string]string{
	"kubeadm": "usr/bin", "kubectl": "usr/bin", "kubelet": "usr/bin",
	"containerd": "usr/local/bin", "ctr": "usr/local/bin", "containerd-shim-runc-v2": "usr/local/bin",
	"runc":       "usr/local/sbin",
	"host-local": "opt/cni/bin", "loopback": "opt/cni/bin", "ptp": "opt/cni/bin", "portmap": "opt/cni/bin",
}

// assemble makes work/node: the node's root file system, with the images of its pods in containerd's store.
func (b *builder) assemble(ctx context.Context) error {
	root := filepath.Join(b.work, "node")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	rootfs := filepath.Join(debianFolder(b.folder), "rootfs.tar")
	if _, err := b.Line(ctx, "tar --numeric-owner --xattrs -C %s -xf %s", root, rootfs); err != nil {
		return err
	}
	if err := b.addKindFiles(ctx, root); err != nil {
		return err
	}
	for _, part := range []string{"kubernetes", "containerd", "runc", "cni"} {
		programs, err := filepath.Glob(filepath.Join(b.programs(part), "*"))
		if err != nil {
			return err
		}
		for _, program := range programs {
			if dir := installDirs[filepath.Base(program)]; dir != "" {
				if err := copyFile(program, filepath.Join(root, dir, filepath.Base(program)), 0o755); err != nil {
					return err
				}
			}
		}
	}
	images, err := b.images(ctx, root)
	if err != nil {
		return err
	}
	if err := b.configure(ctx, root, images); err != nil {
		return err
	}
	return b.preload(ctx, root, images)
}

// configure writes the node's files that depend on versions and images.
func (b *builder) configure(ctx context.Context, root string, images []podImage) error {
	spec, err := b.Line(ctx, "chroot %s ctr oci spec", root)
	if err != nil {
		return err
	}
	base, err := baseSpec([]byte(spec))
	if err != nil {
		return err
	}
	config := filepath.Join(root, "etc/containerd/config.toml")
	toml, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	sandboxImage := regexp.MustCompile(`(?m)sandbox_image = .*$`)
	for _, image := range images {
		if image.name == "pause" {
			toml = sandboxImage.ReplaceAll(toml, []byte(`sandbox_image = "`+image.ref+`"`))
		}
	}
	return errors.Join(
		os.WriteFile(config, toml, 0o644),
		os.WriteFile(filepath.Join(root, "etc/containerd/cri-base.json"), base, 0o644),
		os.MkdirAll(filepath.Join(root, "etc/kubernetes/manifests"), 0o755),
		os.WriteFile(filepath.Join(root, "kind/version"), []byte(b.version), 0o644),
		os.WriteFile(filepath.Join(root, "etc/machine-id"), nil, 0o644),
	)
}

// baseSpec returns containerd's default OCI spec with kind's hook and without resource limits, which
// would override the node's.
func baseSpec(spec []byte) ([]byte, error) {
	var doc map[string]any
	dec := json.NewDecoder(bytes.NewReader(spec))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("ctr oci spec: %w", err)
	}
	doc["hooks"] = map[string]any{"createContainer": []any{map[string]any{"path": "/kind/bin/mount-product-files.sh"}}}
	if process, ok := doc["process"].(map[string]any); ok {
		delete(process, "rlimits")
	}
	return json.Marshal(doc)
}

// load packs work/node as a docker archive, has the engine load it, and records the image.
func (b *builder) load(ctx context.Context) error {
	tarball := filepath.Join(b.work, "layer.tar")
	if _, err := b.Line(ctx, "tar --numeric-owner --xattrs -C %s -cf %s .", filepath.Join(b.work, "node"), tarball); err != nil {
		return err
	}
	reader, writer := io.Pipe()
	go func() {
		writer.CloseWithError(writeArchive(writer, tag(b.version), tarball, imageConfig{
			Env:        []string{"container=docker", "PATH=" + searchPath},
			Entrypoint: []string{"/usr/local/bin/entrypoint", "/sbin/init"},
			StopSignal: "SIGRTMIN+3",
		}))
	}()
	_, err := b.Run(ctx, command.Command{Line: "docker load", Stdin: reader})
	reader.CloseWithError(err)
	if err != nil {
		return err
	}
	return record(ctx, tag(b.version))
}

const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

func copyFile(from, to string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(mode), out.Close())
}
