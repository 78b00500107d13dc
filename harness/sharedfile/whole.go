package sharedfile

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write puts data into the file at path, in the place of what was there. Its folder has to exist.
func Write(path string, data []byte, perm os.FileMode) error {
	return Create(path, perm, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// Create is Write for data that is written piece by piece. After an error the file is as it was.
func Create(path string, perm os.FileMode, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	buf := bufio.NewWriter(f)
	err = errors.Join(write(buf), buf.Flush(), f.Chmod(perm), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
