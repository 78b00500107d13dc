package nodeimage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/sharedfile"
)

// published are the images that kind's maintainers made for kindVersion, newest first, of the minor versions of releases. Their digests
// are from the release's notes, https://github.com/kubernetes-sigs/kind/releases/tag/v0.33.0: a tag alone may be moved.
var published = []struct{ Version, Digest string }{
	{"v1.37.0", "sha256:a1ed56cfb0e7b93589bdf97c8cd566405a265939e3620fc4f5de89adff580ae5"},
	{"v1.36.4", "sha256:099e049362a1526b2db71494e1947aae99bd16290d7c895f2b7ea312e3cbfaed"},
	{"v1.35.8", "sha256:07b2536e30b803ed61d1677a79df6115f798ce64c80f9e22f6ed45afd09323c0"},
}

// reference returns the name by digest of the image that kind's maintainers published for a version; empty if there is none.
func reference(version string) string {
	for _, image := range published {
		if image.Version == version {
			return "kindest/node@" + image.Digest
		}
	}
	return ""
}

// pulled returns the name that a published image has in the engine.
func pulled(version string) string { return repository + ":" + version + "-kind" }

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
		id, _ := imageID(ctx, reference(version))
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
