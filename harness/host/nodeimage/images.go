package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/poll"
)

// A podImage is an image of a pod that is in the store of a node from its first start.
type podImage struct {
	name    string // such as "kube-apiserver"
	ref     string // reference that kubeadm uses
	archive string // path
}

// images makes the archives of all images that kubeadm uses.
func (b *builder) images(ctx context.Context, node string) ([]podImage, error) {
	kubeadm := filepath.Join(b.programs("kubernetes"), "kubeadm")
	out, err := b.Line(ctx, "%s config images list --kubernetes-version %s", kubeadm, b.version)
	if err != nil {
		return nil, err
	}
	var images []podImage
	for line := range strings.Lines(out) {
		ref := strings.TrimSpace(line)
		if !strings.Contains(ref, "/") || strings.Contains(ref, " ") {
			continue // a message
		}
		name, _, _ := strings.Cut(path.Base(ref), ":")
		image := podImage{name: name, ref: ref, archive: filepath.Join(b.work, name+".tar")}
		if err := b.image(ctx, node, image); err != nil {
			return nil, fmt.Errorf("image %s: %w", ref, err)
		}
		images = append(images, image)
	}
	return images, nil
}

// image makes the archive of one image, with a single program. kube-proxy's image also has the tools that it calls.
func (b *builder) image(ctx context.Context, node string, image podImage) error {
	root := filepath.Join(b.work, "image-"+image.name)
	dir := "usr/local/bin"
	program := filepath.Join(b.programs("kubernetes"), image.name)
	switch image.name {
	case "etcd":
		program = filepath.Join(b.programs("etcd"), "etcd")
	case "coredns":
		program, dir = filepath.Join(b.programs("coredns"), "coredns"), ""
	case "pause":
		program, dir = filepath.Join(b.work, "pause"), ""
		if err := b.compilePause(ctx, program); err != nil {
			return err
		}
	case "kube-proxy":
		if err := b.addProxyTools(ctx, node, root); err != nil {
			return err
		}
	}
	out, err := os.Create(image.archive)
	if err != nil {
		return err
	}
	err = pack(ctx, out, image.ref, root, program, path.Join("/", dir, image.name))
	return errors.Join(err, out.Close(), os.RemoveAll(root))
}

// pack adds a program to the root of an image, under the path of its entrypoint, and writes the image's archive.
func pack(ctx context.Context, w io.Writer, ref, root, program, entrypoint string) error {
	for _, folder := range []string{"tmp", "etc"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			return err
		}
	}
	if err := copyFile(program, filepath.Join(root, entrypoint), 0o755); err != nil {
		return err
	}
	layer := root + ".layer"
	if _, err := command.Run(ctx, "tar --numeric-owner --owner=0 --group=0 -C %s -cf %s .", root, layer); err != nil {
		return err
	}
	err := writeArchive(w, ref, layer, imageConfig{Env: []string{"PATH=" + searchPath}, Entrypoint: []string{entrypoint}})
	return errors.Join(err, os.Remove(layer))
}

// compilePause compiles pause, the program of pods' sandboxes, which is C, from the Kubernetes module.
func (b *builder) compilePause(ctx context.Context, program string) error {
	modules, err := b.Run(ctx, command.Command{Line: "go env GOMODCACHE", Dir: b.folder})
	if err != nil {
		return err
	}
	source := filepath.Join(modules, "k8s.io", "kubernetes@"+b.version, "build/pause/linux/pause.c")
	_, err = b.Line(ctx, "gcc -Os -Wall -static -s -DVERSION=rollcall -o %s %s", program, source)
	return err
}

// proxyTools are the programs that kube-proxy runs in its three modes.
var proxyTools = []string{"/usr/sbin/xtables-nft-multi", "/usr/sbin/xtables-legacy-multi", "/usr/sbin/ipset",
	"/usr/sbin/conntrack", "/usr/sbin/nft", "/bin/kmod", "/bin/dash"}

// addProxyTools copies the tools and their libraries from the node's root file system.
func (b *builder) addProxyTools(ctx context.Context, node, root string) error {
	extensions, err := filepath.Glob(filepath.Join(node, "usr/lib/*-linux-gnu/xtables/*.so"))
	if err != nil {
		return err
	}
	files := append([]string{}, proxyTools...)
	for _, file := range extensions {
		files = append(files, strings.TrimPrefix(file, node))
	}
	libraries, err := b.Line(ctx, "chroot %s ldd %s", node, strings.Join(files, " "))
	if err != nil {
		return err
	}
	for line := range strings.Lines(libraries) {
		if _, target, ok := strings.Cut(line, "=> "); ok {
			line = target
		}
		file, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(file, "/") && !strings.HasSuffix(file, ":") {
			files = append(files, file)
		}
	}
	for _, file := range append(files, "/etc/protocols", "/etc/services") {
		// The node's /bin and /lib are links into /usr, as are the image's, which are made below.
		to := file
		if !strings.HasPrefix(file, "/usr/") && !strings.HasPrefix(file, "/etc/") {
			to = "/usr" + file
		}
		from := filepath.Join(node, file)
		if _, err := os.Stat(from); errors.Is(err, os.ErrNotExist) && strings.HasPrefix(file, "/etc/") {
			continue // minbase has neither, and the tools print numbers instead of names
		}
		if err := copyFile(from, filepath.Join(root, to), 0o755); err != nil {
			return err
		}
	}
	links := map[string]string{"usr/bin/sh": "dash", "usr/sbin/modprobe": "../bin/kmod", "bin": "usr/bin", "sbin": "usr/sbin",
		"lib": "usr/lib", "lib64": "usr/lib64"}
	for _, family := range []string{"iptables", "ip6tables"} {
		for _, verb := range []string{"", "-save", "-restore"} {
			links["usr/sbin/"+family+verb] = "xtables-nft-multi"
			links["usr/sbin/"+family+"-nft"+verb] = "xtables-nft-multi"
			links["usr/sbin/"+family+"-legacy"+verb] = "xtables-legacy-multi"
		}
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			return err
		}
	}
	for _, check := range []string{"iptables -V", "conntrack -V", "nft -v", "ipset -v"} {
		if _, err := b.Line(ctx, "chroot %s %s", root, check); err != nil {
			return err
		}
	}
	return nil
}

// preload imports the images into the store of the node's containerd, by running that containerd
// on this host with the store in the node's folder. It starts no container and unpacks no image.
func (b *builder) preload(ctx context.Context, node string, images []podImage) error {
	store, state := filepath.Join(node, "var/lib/containerd"), filepath.Join(b.work, "containerd")
	socket, config := filepath.Join(state, "sock"), filepath.Join(b.work, "containerd.toml")
	toml := fmt.Sprintf(`version = 3
root = %q
state = %q
disabled_plugins = ["io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri"]
[grpc]
  address = %q
[ttrpc]
  address = %q
`, store, state, socket, socket+".ttrpc")
	if err := os.WriteFile(config, []byte(toml), 0o644); err != nil {
		return err
	}
	programs := b.programs("containerd")
	daemon, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := b.Line(daemon, "%s --config %s", filepath.Join(programs, "containerd"), config)
		ended <- err
	}()
	defer func() { stop(); <-ended }()
	ctr := filepath.Join(programs, "ctr") + " --address " + socket + " --namespace k8s.io"
	err := poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		select {
		case err := <-ended:
			ended <- nil
			return false, errors.Join(errors.New("containerd ended before it answered"), err)
		default:
		}
		_, err := command.Run(ctx, "%s version", ctr)
		return err == nil, nil
	})
	if err != nil {
		return err
	}
	for _, image := range images {
		const add = "%s images import --label=io.cri-containerd.pinned=pinned --all-platforms --no-unpack --digests %s"
		if _, err := b.Line(ctx, add, ctr, image.archive); err != nil {
			return err
		}
		if err := os.Remove(image.archive); err != nil {
			return err
		}
	}
	return nil
}
