package nodeimage

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"rollcall/harness/host"
	"rollcall/harness/parts"
)

// A builder builds one node image.
type builder struct {
	*parts.Builder
	version string
	folder  string // of all builds
}

func build(ctx context.Context, w io.Writer, folder, version string) (err error) {
	programs := programsOf(version)
	steps, err := parts.New(w, folder, version+".log", "node image "+version, len(programs)+4)
	if err != nil {
		return fmt.Errorf("nodeimage: %w", err)
	}
	defer steps.Close()
	b := &builder{steps, version, folder}
	if err := b.all(ctx, programs); err != nil {
		return fmt.Errorf("nodeimage: %w", err)
	}
	fmt.Fprintf(w, "built %s in %s; log %s\n", tag(version), b.Took(), b.Log())
	return nil
}

func (b *builder) all(ctx context.Context, programs []goPart) error {
	if err := b.Do("tools", func() error { return b.tools(ctx) }); err != nil {
		return err
	}
	if err := b.part("debian", debian.Suite, debian, func(dir string) error { return b.debian(ctx, dir) }); err != nil {
		return err
	}
	for _, p := range programs {
		if err := b.part(p.Name, p.Version, p, func(dir string) error { return b.compile(ctx, p, dir) }); err != nil {
			return err
		}
	}
	work := filepath.Join(b.folder, "work-"+b.version)
	if err := b.Do("assemble", func() error { return b.assemble(ctx, work) }); err != nil {
		return err
	}
	if err := b.Do("load", func() error { return b.load(ctx, work) }); err != nil {
		return err
	}
	return os.RemoveAll(work)
}

func (b *builder) part(name, version string, inputs any, make func(dir string) error) error {
	return b.Part(name, version, revised{revision, inputs}, make)
}

func (b *builder) partDir(name, version string, inputs any) string {
	return b.Dir(name, version, revised{revision, inputs})
}

// programs is the folder of a finished part.
func (b *builder) programs(name string) string {
	for _, p := range programsOf(b.version) {
		if p.Name == name {
			return b.partDir(p.Name, p.Version, p)
		}
	}
	panic("nodeimage: no part " + name)
}

// tools installs what a build runs, where it is missing: the archive keyring is for Ubuntu hosts.
func (b *builder) tools(ctx context.Context) error {
	return host.Need(ctx, map[string]string{
		"/usr/sbin/debootstrap": "debootstrap", "/usr/bin/gcc": "gcc", "/usr/bin/pkg-config": "pkg-config",
		"/usr/include/seccomp.h": "libseccomp-dev", "/usr/include/stdlib.h": "libc6-dev",
		"/usr/share/keyrings/debian-archive-keyring.gpg": "debian-archive-keyring",
	})
}

// cores bounds the compiler.
func cores() int { return runtime.NumCPU() }
