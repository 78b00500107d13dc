package layout

import (
	"context"
	"os"
	"path/filepath"

	"example.com/rollcall/fixtures"
)

// An Image is a program of the pods and its version.
type Image = [2]string

// Images returns the images of a run, with or without the observer's, and those of clients that send RPCs.
func Images(observer, rpcs bool) []Image {
	names := []Image{{fixtures.AgentName, fixtures.AgentVersion}}
	if observer {
		names = append(names, Image{fixtures.ObserverName, fixtures.ObserverVersion})
	}
	names = append(names, Image{"echo", fixtures.OldVersion}, Image{"echo", fixtures.NewVersion})
	if rpcs {
		names = append(names, Image{fixtures.GRPCAgent, fixtures.AgentVersion}, Image{fixtures.GRPCApp, fixtures.OldVersion},
			Image{fixtures.GRPCApp, fixtures.NewVersion})
	}
	return names
}

// An Archive is an image for one platform, as a docker archive.
type Archive struct {
	Ref  string
	Data []byte
}

// Archives returns images of pods: the ready-made ones, or those of BuildImages.
func (l Layout) Archives(ctx context.Context, wanted []Image) (list []Archive, err error) {
	var images *ImageSet
	if l.Images == "" {
		if images, err = l.BuildImages(ctx, wanted); err != nil {
			return nil, err
		}
	}
	for _, image := range wanted {
		archive := Archive{Ref: fixtures.ImageRef(image[0], image[1])}
		if l.Images != "" {
			archive.Data, err = os.ReadFile(filepath.Join(l.Images, archiveFile(image)))
		} else {
			archive.Data, err = images.Archive(image[0], image[1])
		}
		if err != nil {
			return nil, err
		}
		list = append(list, archive)
	}
	return list, nil
}

// SaveImages saves the images of the pods into a folder, for a Layout without sources.
func (l Layout) SaveImages(ctx context.Context, dir string) error {
	list, err := l.Archives(ctx, Images(true, true))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i, image := range Images(true, true) {
		if err := os.WriteFile(filepath.Join(dir, archiveFile(image)), list[i].Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func archiveFile(image Image) string { return image[0] + "-" + image[1] + ".tar" }
