package nodeimage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/sharedfile"
)

// pulled returns the name that a published image has in the engine.
func pulled(version string) string { return kube.NodeImages + ":" + version + "-kind" }

func imageID(ctx context.Context, image string) (string, error) {
	return command.Run(ctx, "docker image inspect --format {{.Id}} %s", image)
}

// recordFile returns the path of the record of an image that this host built or pulled: its id in the engine. An image of the same
// name that came from elsewhere has another id.
func recordFile(image string) (string, error) {
	state, err := host.StateDir()
	_, tag, _ := strings.Cut(image, ":")
	return filepath.Join(state, "nodeimage", tag+".id"), err
}

// record writes the record of an image.
func record(ctx context.Context, image string) error {
	id, err := imageID(ctx, image)
	if err != nil {
		return err
	}
	file, err := recordFile(image)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), sharedfile.Write(file, []byte(id+"\n"), 0o644))
}

// expected returns the id that an image has to have: that of its record, or else of what the engine pulled by kind's digest. It is empty
// if this host knows neither, as with an image that a Rollcall without records built.
func expected(ctx context.Context, image, version string) (string, error) {
	file, err := recordFile(image)
	if err != nil {
		return "", err
	}
	switch id, err := os.ReadFile(file); {
	case err == nil:
		return strings.TrimSpace(string(id)), nil
	case !errors.Is(err, os.ErrNotExist):
		return "", err
	case image == pulled(version):
		id, _ := imageID(ctx, kube.PublishedImage(version))
		return id, nil
	}
	return "", nil
}

// find returns the name of the node image for a version if the engine has one that this host built or pulled. The first one of its name
// is recorded, and counts from then on. It returns the names of others too, which may have any content.
func find(ctx context.Context, version string) (image string, others []string, err error) {
	for _, image := range []string{tag(version), pulled(version)} {
		id, err := imageID(ctx, image)
		if err != nil {
			continue
		}
		want, err := expected(ctx, image, version)
		if want == "" && err == nil {
			want, err = id, record(ctx, image)
		}
		if want == id || err != nil {
			return image, nil, err
		}
		others = append(others, image)
	}
	return "", others, nil
}
