package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.com/rollcall/harness/kube"
)

// Files that are removed and systemd units that are enabled, as in kind's own base image (images/base/Dockerfile of kube.KindVersion).
var (
	removed = []string{
		"lib/systemd/system/multi-user.target.wants/*", "etc/systemd/system/*.wants/*",
		"lib/systemd/system/local-fs.target.wants/*", "lib/systemd/system/sockets.target.wants/*udev*",
		"lib/systemd/system/sockets.target.wants/*initctl*", "lib/systemd/system/basic.target.wants/*",
		"lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service",
		// The rest would give all nodes the same machine id, or only takes space.
		"var/lib/dbus/machine-id", "var/cache/apt/archives/*.deb", "var/lib/apt/lists/*", "usr/share/doc/*",
		"usr/share/man/*", "usr/share/locale/*", "var/log/*.log",
	}
	enabled = []string{"kubelet.service", "containerd.service", "undo-mount-hacks.service"}
)

// debian makes dir/rootfs.tar: a Debian with only its own packages.
func (b *builder) debian(ctx context.Context, dir string) error {
	root := filepath.Join(dir, "rootfs")
	packages := strings.Join(debian.Packages, ",")
	if _, err := b.Line(ctx, "debootstrap --force-check-gpg --variant=minbase --include=%s %s %s", packages, debian.Suite, root); err != nil {
		return err
	}
	for _, pattern := range removed {
		if err := removeMatching(filepath.Join(root, pattern), ""); err != nil {
			return err
		}
	}
	if _, err := b.Line(ctx, "tar --numeric-owner --xattrs -C %s -cf %s/rootfs.tar .", root, dir); err != nil {
		return err
	}
	return os.RemoveAll(root)
}

// addKindFiles copies kind's base image files over the root and enables kind's services.
func (b *builder) addKindFiles(ctx context.Context, root string) error {
	kind, err := b.download(ctx, "sigs.k8s.io/kind", kube.KindVersion)
	if err != nil {
		return err
	}
	files := filepath.Join(kind.Dir, "images", "base", "files")
	err = filepath.WalkDir(files, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(files, path)
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if strings.Contains(rel, "bin/") {
			mode = 0o755
		}
		return copyFile(path, filepath.Join(root, rel), mode)
	})
	if err != nil {
		return err
	}
	journald, err := os.OpenFile(filepath.Join(root, "etc/systemd/journald.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(journald, "ReadKMsg=no")
	if err = errors.Join(err, journald.Close()); err != nil {
		return err
	}
	for _, line := range []string{"systemctl enable " + strings.Join(enabled, " "), "systemctl mask systemd-binfmt.service"} {
		if _, err := b.Line(ctx, "chroot %s %s", root, line); err != nil {
			return err
		}
	}
	return nil
}
