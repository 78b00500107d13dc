package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host/nodeimage"
	"example.com/rollcall/harness/host/setup"
)

// images are the paths of the files of which a lab consists.
type images struct {
	kernel string // program
	root   string // ext4
	docker string // ext4, with the node image in the engine's store
}

// A builder builds a lab.
type builder struct {
	*nodeimage.Builder
	folder string
}

// build makes the parts of a lab that do not exist yet. nodeImage is the name of the node image in this host's engine.
func build(ctx context.Context, w io.Writer, folder, nodeImage string) (im images, err error) {
	steps, err := nodeimage.NewBuilder(w, folder, "build.log", "ipvs lab", 4)
	if err != nil {
		return im, fmt.Errorf("lab: %w", err)
	}
	defer steps.Close()
	b := builder{steps, folder}
	if im, err = b.all(ctx, nodeImage); err != nil {
		return im, fmt.Errorf("lab: %w", err)
	}
	return im, nil
}

func (b builder) all(ctx context.Context, nodeImage string) (im images, err error) {
	if err := b.Do("tools", func() error { return b.tools(ctx) }); err != nil {
		return im, err
	}
	system, err := b.part("system", labSystem.Suite, labSystem, func(dir string) error { return b.system(ctx, dir) })
	if err != nil {
		return im, err
	}
	im.root = filepath.Join(system, "root.ext4")
	kernel, err := b.part("kernel", kernelSource.Version, []any{kernelSource, kernelConfig, kernelPatch},
		func(dir string) error { return b.kernel(ctx, dir) })
	if err != nil {
		return im, err
	}
	im.kernel = filepath.Join(kernel, "linux")
	_, tag, _ := strings.Cut(nodeImage, ":")
	version, _, _ := strings.Cut(tag, "-")
	disk, err := b.part("disk", version, []any{labSystem, nodeImage, dockerSize},
		func(dir string) error { return b.disk(ctx, dir, nodeImage, im) })
	im.docker = filepath.Join(disk, "docker.ext4")
	return im, err
}

// part makes a part if it does not exist, removes the older ones that it replaces, and returns its folder.
func (b builder) part(name, version string, inputs any, make func(dir string) error) (dir string, err error) {
	if err := b.Part(name, version, inputs, make); err != nil {
		return "", err
	}
	return b.Dir(name, version, inputs), b.RemoveOthers(name, version, inputs)
}

// tools installs the programs for a build that are missing.
func (b builder) tools(ctx context.Context) error {
	return setup.InstallMissing(ctx, map[string]string{
		"/usr/sbin/debootstrap": "debootstrap", "/usr/bin/gcc": "gcc", "/usr/bin/make": "make", "/usr/bin/bc": "bc", "/usr/bin/flex": "flex",
		"/usr/bin/bison": "bison", "/usr/bin/m4": "m4", "/usr/bin/xz": "xz-utils", "/usr/include/stdlib.h": "libc6-dev",
		"/sbin/mkfs.ext4": "e2fsprogs", "/usr/bin/patch": "patch", "/usr/bin/prlimit": "util-linux",
		"/usr/share/keyrings/debian-archive-keyring.gpg": "debian-archive-keyring", "/usr/bin/gpgv": "gpgv",
	})
}

// isolated is a prefix of a command line, with which all mounts and processes of the command end with it, however it ends.
const isolated = "unshare --mount --propagation private --pid --fork --kill-child "

// sourcesList is the copy of the system's apt sources, beside its disk.
const sourcesList = "sources.list"

// system makes dir/root.ext4, a Debian with Docker.
func (b builder) system(ctx context.Context, dir string) (err error) {
	root := filepath.Join(dir, "root")
	run := func(format string, args ...any) {
		if err == nil {
			_, err = b.Run(ctx, command.Command{Line: fmt.Sprintf(format, args...), Env: []string{"DEBIAN_FRONTEND=noninteractive"}})
		}
	}
	packages := strings.Join(labSystem.Packages, ",")
	run(isolated+"debootstrap --force-check-gpg --variant=minbase --include=%s %s %s", packages, labSystem.Suite, root)
	if err != nil {
		return err
	}
	err = errors.Join(os.WriteFile(filepath.Join(root, "sbin", "lab-init"), []byte(labSystem.Init), 0o755),
		os.Mkdir(filepath.Join(root, "lab"), 0o755))
	for _, kind := range []string{"iptables", "ip6tables"} {
		run("chroot %s update-alternatives --set %s /usr/sbin/%s-nft", root, kind, kind)
	}
	run("chroot %s apt-get clean", root)
	run("cp %s/etc/apt/sources.list %s/%s", root, dir, sourcesList)
	run("truncate --size=%s %s/root.ext4", rootSize, dir)
	run("mkfs.ext4 -q -F -d %s %s/root.ext4", root, dir)
	return errors.Join(err, os.RemoveAll(root))
}

// kernel makes dir/linux, the kernel.
func (b builder) kernel(ctx context.Context, dir string) (err error) {
	run := func(format string, args ...any) {
		if err == nil {
			_, err = b.Line(ctx, format, args...)
		}
	}
	deb, err := b.sources(ctx, dir)
	if err != nil {
		return err
	}
	unpacked, tree, object := filepath.Join(dir, "deb"), filepath.Join(dir, kernelSource.Folder), filepath.Join(dir, "object")
	run("dpkg-deb --extract %s %s", deb, unpacked)
	run("tar --extract --file %s/usr/src/%s.tar.xz --directory %s", unpacked, kernelSource.Folder, dir)
	fragment, changes := filepath.Join(dir, "fragment"), filepath.Join(dir, "changes")
	if err == nil {
		err = errors.Join(os.Mkdir(object, 0o755), os.WriteFile(fragment, []byte(kernelConfig), 0o644),
			os.WriteFile(changes, []byte(kernelPatch), 0o644))
	}
	run("patch --directory %s --strip 1 --fuzz 0 --forward --input %s", tree, changes)
	run("make -C %s ARCH=um O=%s x86_64_defconfig", tree, object)
	run(`sh -c "cd %s && ARCH=um scripts/kconfig/merge_config.sh -m -O %s %s/.config %s"`, tree, object, object, fragment)
	run("make -C %s ARCH=um O=%s olddefconfig", tree, object)
	run(isolated+"make -C %s ARCH=um O=%s -j%d linux", tree, object, runtime.NumCPU())
	run("strip -o %s/linux %s/linux", dir, object)
	for _, temporary := range []string{deb, unpacked, tree, object, fragment, changes} {
		err = errors.Join(err, os.RemoveAll(temporary))
	}
	return err
}

// sources downloads the Debian package of the kernel's sources. It gives apt lists and sources of its own, with only the package's
// suite: so apt checks the signature, and does not change the host's lists.
func (b builder) sources(ctx context.Context, dir string) (deb string, err error) {
	apt := filepath.Join(dir, "apt")
	defer func() { err = errors.Join(err, os.RemoveAll(apt)) }()
	list, err := os.ReadFile(filepath.Join(b.Dir("system", labSystem.Suite, labSystem), sourcesList))
	if err != nil {
		return "", err
	}
	list = bytes.ReplaceAll(list, []byte(" "+labSystem.Suite+" "), []byte(" "+kernelSource.Suite+" "))
	list = bytes.ReplaceAll(list, []byte("deb "), []byte("deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "))
	for _, folder := range []string{"lists/partial", "cache/archives/partial"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(apt, folder), 0o755))
	}
	if err = errors.Join(err, os.WriteFile(filepath.Join(apt, sourcesList), list, 0o644)); err != nil {
		return "", err
	}
	options := fmt.Sprintf("-o Dir::State::Lists=%[1]s/lists -o Dir::Cache=%[1]s/cache -o Dir::Etc::SourceList=%[1]s/sources.list "+
		"-o Dir::Etc::SourceParts=- -o APT::Sandbox::User=root", apt)
	if _, err := b.Line(ctx, "apt-get %s update", options); err != nil {
		return "", err
	}
	for _, wanted := range []string{kernelSource.Package + "=" + kernelSource.Version, kernelSource.Package} {
		if _, err = b.Run(ctx, command.Command{Line: "apt-get " + options + " download " + wanted, Dir: dir}); err == nil {
			break
		}
	}
	if err != nil {
		return "", err
	}
	debs, err := filepath.Glob(filepath.Join(dir, kernelSource.Package+"_*.deb"))
	if err != nil || len(debs) != 1 {
		return "", fmt.Errorf("%d packages were downloaded: %w", len(debs), err)
	}
	return debs[0], nil
}

// disk makes dir/docker.ext4, the store of an engine with the node image. It boots the lab to load the image.
func (b builder) disk(ctx context.Context, dir, nodeImage string, im images) error {
	shared := filepath.Join(dir, "shared")
	disk := filepath.Join(dir, "docker.ext4")
	for _, line := range []string{"truncate --size=" + dockerSize + " " + disk, "mkfs.ext4 -q -F -E lazy_itable_init=1 " + disk,
		"mkdir " + shared, fmt.Sprintf("docker save --output %s/node.tar %s", shared, nodeImage)} {
		if _, err := b.Line(ctx, "%s", line); err != nil {
			return err
		}
	}
	m := machine{kernel: im.kernel, root: copyOnWrite(filepath.Join(dir, "root.cow"), im.root), docker: disk, shared: shared}
	console := &strings.Builder{}
	code, err := m.run(ctx, console, "docker load --quiet --input /lab/node.tar")
	fmt.Fprintln(b, console)
	if err == nil && code != 0 {
		err = fmt.Errorf("docker load ended with %d: %s", code, command.LastLines(console.String(), 3))
	}
	return errors.Join(err, os.RemoveAll(shared), os.RemoveAll(filepath.Join(dir, "root.cow")))
}
