package nodeimage

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/usage"
)

// Find returns the name of the node image for a version of [kube.Resolve] that this host built or pulled; empty if the engine has none.
func Find(ctx context.Context, version string) (image string, err error) {
	image, _, err = find(ctx, version)
	return image, err
}

// Ensure makes sure that the engine has a node image for a version of [kube.Resolve], and returns the
// image's name. It prints progress to w.
func Ensure(ctx context.Context, w io.Writer, version string) (image string, err error) {
	if image, err = Find(ctx, version); image != "" { // without waiting for a process that makes another
		return image, err
	}
	err = host.WithLock(ctx, w, "nodeimage", "provides the node image", func(state string) (err error) {
		image, err = provide(ctx, w, filepath.Join(state, "nodeimage"), version)
		return err
	})
	return image, err
}

// provide pulls the image or builds it in folder.
func provide(ctx context.Context, w io.Writer, folder, version string) (string, error) {
	image, others, err := find(ctx, version)
	if image != "" { // made while we waited for the lock
		return image, err
	}
	for _, other := range others {
		fmt.Fprintf(w, "not using %s, which the engine has: its id is not that of the image that this host made or pulled\n", other)
	}
	why, remedy := "kind publishes none of this version", "choose one that kind publishes: --k8s="+kube.Published()
	if ref := kube.PublishedImage(version); ref != "" {
		began := time.Now()
		err := name(ctx, w, ref, pulled(version))
		if err == nil {
			return pulled(version), nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		why, remedy = "no registry gave it ("+command.LastLine(err)+")", "let the engine pull "+ref
		fmt.Fprintf(w, "no registry gave %s after %s (%s)\n", ref, time.Since(began).Round(time.Millisecond), command.LastLine(err))
	}
	facts := host.Probe(ctx)
	if !facts.Root || !facts.Apt {
		return "", usage.New("node image "+version, why+", and building it needs root and apt-get",
			"run this as root on Debian or Ubuntu, or "+remedy)
	}
	if err := facts.Check(true); err != nil {
		return "", err
	}
	fmt.Fprintf(w, "building the node image %s, which takes about %.0f minutes on %d cores; each of its parts is kept as soon as it is made\n",
		version, max(1, typicalBuild().Minutes()), cores())
	if err := build(ctx, w, folder, version); err != nil {
		return "", err
	}
	return tag(version), nil
}

// name gives an image of kind, which the engine pulls if it does not have it, a name of ours, and records it.
func name(ctx context.Context, w io.Writer, ref, image string) error {
	if _, err := imageID(ctx, ref); err != nil {
		began := time.Now()
		if err := host.Pull(ctx, ref); err != nil {
			return err
		}
		fmt.Fprintf(w, "pulled %s in %s\n", ref, time.Since(began).Round(time.Second))
	}
	if _, err := command.Run(ctx, "docker tag %s %s", ref, image); err != nil {
		return err
	}
	return record(ctx, image)
}
