package layout

import (
	"context"
	"os"
	"path/filepath"

	"example.com/rollcall/fixtures"
)

// An Image is a program of the pods and its version.
type Image = [2]string

// Images returns the images of a run, with or without the observer's.
func Images(observer bool) []Image {
	names := []Image{{fixtures.AgentName, fixtures.AgentVersion}}
	if observer {
		names = append(names, Image{fixtures.ObserverName, fixtures.ObserverVersion})
	}
	return append(names, Image{"echo", fixtures.OldVersion}, Image{"echo", fixtures.NewVersion})
}

// An Archive is an image for one platform, as a docker archive.
type Archive struct {
	Ref  string
	Data []byte
}

// Archives returns the images of the pods: the ready-made ones, or those of BuildImages.
func (l Layout) Archives(ctx context.Context) (list []Archive, err error) {
	var images *ImageSet
	if l.Images == "" {
		if images, err = l.BuildImages(ctx); err != nil {
			return nil, err
		}
	}
	for _, image := range Images(true) {
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
	list, err := l.Archives(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i, image := range Images(true) {
		if err := os.WriteFile(filepath.Join(dir, archiveFile(image)), list[i].Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func archiveFile(image Image) string { return image[0] + "-" + image[1] + ".tar" }
