package nodeimage

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/usage"
)

// registryTimeout bounds how long a registry takes to say whether it has an image. Behind a firewall that drops packets the pull
// waits that long.
const registryTimeout = 8 * time.Second

// find returns the name of the node image for a version if the engine has one.
func find(ctx context.Context, version string) (image string, found bool) {
	for _, image := range []string{tag(version), published(version)} {
		if _, err := command.Run(ctx, "docker image inspect --format ok %s", image); err == nil {
			return image, true
		}
	}
	return "", false
}

// Ensure makes sure that the engine has a node image for a version of [Resolve], and returns the
// image's name. It prints progress to w.
func Ensure(ctx context.Context, w io.Writer, version string) (image string, err error) {
	if image, found := find(ctx, version); found { // without waiting for a process that makes another
		return image, nil
	}
	err = host.WithLock(ctx, w, "nodeimage", "provides the node image", func(state string) (err error) {
		image, err = provide(ctx, w, filepath.Join(state, "nodeimage"), version)
		return err
	})
	return image, err
}

// provide pulls the image or builds it in folder.
func provide(ctx context.Context, w io.Writer, folder, version string) (string, error) {
	if image, found := find(ctx, version); found { // made while we waited for the lock
		return image, nil
	}
	began := time.Now()
	err := pull(ctx, published(version))
	if err == nil {
		fmt.Fprintf(w, "pulled %s in %s\n", published(version), time.Since(began).Round(time.Second))
		return published(version), nil
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	why := command.LastLine(err)
	fmt.Fprintf(w, "no registry gave %s after %s (%s)\n", published(version), time.Since(began).Round(time.Millisecond), why)
	facts := host.Probe(ctx)
	if !facts.Root || !facts.Apt {
		return "", usage.New("node image "+version, "no registry gave it ("+why+"), and building it needs root and apt-get",
			"run this as root on Debian or Ubuntu, or load "+published(version)+" with docker load")
	}
	if err := facts.Check(true); err != nil {
		return "", err
	}
	fmt.Fprintf(w, "building it, which takes about %.0f minutes on %d cores; each of its parts is kept as soon as it is made\n",
		max(1, typicalBuild().Minutes()), cores())
	if err := build(ctx, w, folder, version); err != nil {
		return "", err
	}
	return tag(version), nil
}

// published returns the name of the image that kind's maintainers publish for a version.
func published(version string) string { return "kindest/node:" + version }

// pull has the engine pull an image. If it prints nothing within registryTimeout it is cancelled: the first output means that a
// registry has the image.
func pull(ctx context.Context, image string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(registryTimeout, func() { cancel(fmt.Errorf("no registry answered in %v", registryTimeout)) })
	_, err := command.Command{Line: "docker pull " + image, Log: stopper{silence}}.Run(ctx)
	return err
}

// A stopper stops its timer when something is written.
type stopper struct{ *time.Timer }

func (s stopper) Write(p []byte) (int, error) {
	s.Stop()
	return len(p), nil
}
