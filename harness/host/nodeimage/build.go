package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/rollcall/harness/host/setup"
)

// A builder builds one node image, or a part that is in no image.
type builder struct {
	*Builder
	version string
	folder  string // of all builds
	work    string // of this build, temporary
}

func build(ctx context.Context, w io.Writer, folder, version string) (err error) {
	steps, err := NewBuilder(w, folder, version+".log", "node image "+version, len(programsOf(version))+5)
	if err != nil {
		return fmt.Errorf("nodeimage: %w", err)
	}
	defer steps.Close()
	b := &builder{steps, version, folder, filepath.Join(folder, "work-"+version)}
	if err := errors.Join(b.all(ctx), os.RemoveAll(b.work)); err != nil {
		return fmt.Errorf("nodeimage: %w", err)
	}
	fmt.Fprintf(w, "built %s in %s; log %s\n", tag(version), time.Since(b.began).Round(time.Second), b.log.Name())
	fmt.Fprintf(w, "kept for next time: the image in the engine, its parts in %s, and Go's own cache\n", filepath.Join(folder, "parts"))
	return nil
}

func (b *builder) all(ctx context.Context) error {
	if err := os.RemoveAll(b.work); err != nil { // left by a build that was killed
		return err
	}
	if err := b.Do("tools", func() error { return b.tools(ctx) }); err != nil {
		return err
	}
	if err := b.makeParts(ctx); err != nil {
		return err
	}
	if err := b.Do("assemble", func() error { return b.assemble(ctx) }); err != nil {
		return err
	}
	return b.Do("load", func() error { return b.load(ctx) })
}

// makeParts makes the missing parts. It installs Debian's packages, which takes network and disk, while it compiles. If compiling
// fails it still finishes the Debian part, which is kept for the next build.
func (b *builder) makeParts(ctx context.Context) error {
	group, compiling := errgroup.WithContext(ctx)
	group.Go(func() error {
		return b.Part("debian", debian.Suite, partInputs{revision, debian}, func(dir string) error { return b.debian(ctx, dir) })
	})
	group.Go(func() error { return b.compileAll(compiling, programsOf(b.version)) })
	return group.Wait()
}

// compileAll downloads the sources of the missing parts in parallel, and then compiles the parts one after the other.
func (b *builder) compileAll(ctx context.Context, programs []goPart) error {
	modules := make([]module, len(programs))
	err := b.Do("sources", func() error {
		group, ctx := errgroup.WithContext(ctx)
		for i, p := range programs {
			if !p.built(b.folder) {
				group.Go(func() (err error) {
					modules[i], err = b.fetch(ctx, p)
					return err
				})
			}
		}
		return group.Wait()
	})
	if err != nil {
		return fmt.Errorf("%w: %w: %s", errNoSources, err, sourcesRemedy(err))
	}
	for i, p := range programs {
		err := b.Part(p.Name, p.Version, partInputs{revision, p}, func(dir string) error { return b.compile(ctx, p, modules[i], dir) })
		if err != nil {
			return err
		}
	}
	return nil
}

// programs returns the folder of a finished part.
func (b *builder) programs(name string) string {
	for _, p := range programsOf(b.version) {
		if p.Name == name {
			return p.folder(b.folder)
		}
	}
	panic("nodeimage: no part " + name)
}

// tools installs the programs and libraries for a build that are missing. With the keyring and gpgv debootstrap checks the signature of
// Debian's packages; Ubuntu has no such keyring, and apt of Debian 13 does without gpgv.
func (b *builder) tools(ctx context.Context) error {
	return setup.InstallMissing(ctx, map[string]string{
		"/usr/sbin/debootstrap": "debootstrap", "/usr/bin/gcc": "gcc", "/usr/bin/pkg-config": "pkg-config",
		"/usr/include/seccomp.h": "libseccomp-dev", "/usr/include/stdlib.h": "libc6-dev",
		"/usr/share/keyrings/debian-archive-keyring.gpg": "debian-archive-keyring", "/usr/bin/gpgv": "gpgv",
	})
}

// cores returns the number of processors that compile.
func cores() int { return runtime.NumCPU() }
