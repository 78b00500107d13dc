package sharedfile

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write replaces the file at path atomically, with data. Its folder has to exist.
func Write(path string, data []byte, perm os.FileMode) error {
	return Create(path, perm, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// Create replaces the file at path atomically, with the data that write writes. After an error the file is as before.
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
