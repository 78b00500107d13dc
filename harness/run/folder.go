package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.com/rollcall/harness/usage"
)

// NewFolder makes a run folder in root, whose name is this second, or the next in which no other run began, and an ending.
func NewFolder(root, ending string) (string, error) {
	for at := time.Now().UTC(); ; at = at.Add(time.Second) {
		folder := filepath.Join(root, at.Format("20060102-150405")+ending)
		err := os.MkdirAll(root, 0o755)
		if err == nil {
			err = os.Mkdir(folder, 0o755)
		}
		switch {
		case err == nil:
			return folder, nil
		case !errors.Is(err, fs.ErrExist):
			return "", usage.New("run folder "+folder, err.Error(), "make "+root+" writable")
		}
	}
}

// Link makes name, in root, a symbolic link to a run folder, and replaces the one before.
func Link(root, name, folder string) error {
	path := filepath.Join(root, name)
	_ = os.Remove(path) // a folder of that name, such as a copy, stays: then there can be no link
	return os.Symlink(filepath.Base(folder), path)
}
