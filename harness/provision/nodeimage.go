package provision

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/usage"
)

// Version returns the Kubernetes version for what a person asks for, as [kube.Resolve] does. If nobody asks, and this host neither has the
// image of [kube.Default] nor rollcall-host to make it, it is the one that kind publishes.
func Version(asked string) (string, error) {
	if asked == "" && missing() && made(context.Background(), kube.Default) == "" {
		return kube.Published(), nil
	}
	return kube.Resolve(asked)
}

// NodeImage returns the name, in this host's engine, of the image of kind's nodes for a version of [kube.Resolve]. rollcall-host gets or
// builds it; without that program, as beside a release, it is one that rollcall-host made here before, or the one that kind publishes.
func NodeImage(ctx context.Context, w io.Writer, version string) (string, error) {
	thing, args := "node image "+version, []string{"node-image", version}
	if !missing() {
		return call(ctx, w, thing, args...)
	}
	if image := made(ctx, version); image != "" {
		return image, nil
	}
	published := kube.PublishedImage(version)
	if published == "" {
		return "", usage.New(thing, "this host has none, and kind publishes none of this version",
			"choose one that kind publishes, --k8s="+kube.Published()+", or "+toRun(args...))
	}
	if _, err := imageID(ctx, published); err == nil {
		return published, nil
	}
	began := time.Now()
	if err := host.Pull(ctx, published); ctx.Err() != nil {
		return "", context.Cause(ctx)
	} else if err != nil {
		return "", usage.New(thing, "no registry gave it ("+command.LastLine(err)+")", toRun(args...))
	}
	fmt.Fprintf(w, "pulled %s in %s\n", published, time.Since(began).Round(time.Second))
	return published, nil
}

// made returns the name of a node image for a version that rollcall-host built or pulled on this host, if the engine still has it. Beside
// its builds rollcall-host keeps the id of each image that it made: one of the same name from elsewhere has another.
func made(ctx context.Context, version string) string {
	state, err := host.StateDir()
	if err != nil {
		return ""
	}
	records, _ := filepath.Glob(filepath.Join(state, "nodeimage", version+"-*.id"))
	for _, record := range records {
		image := kube.NodeImages + ":" + strings.TrimSuffix(filepath.Base(record), ".id")
		want, _ := os.ReadFile(record)
		if id, err := imageID(ctx, image); err == nil && id == strings.TrimSpace(string(want)) {
			return image
		}
	}
	return ""
}

func imageID(ctx context.Context, image string) (string, error) {
	return command.Run(ctx, "docker image inspect --format {{.Id}} %s", image)
}
