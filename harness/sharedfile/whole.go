package sharedfile

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// Write replaces the file at path atomically, with data. Its folder has to exist.
func Write(path string, data []byte, perm os.FileMode) error {
	return Create(path, perm, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// Save is Write of what has to outlive a crash of the host: it returns when the data is on the disk, and the name too.
func Save(path string, data []byte, perm os.FileMode) error {
	if err := replace(path, perm, (*os.File).Sync, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && runtime.GOOS != "windows" { // which syncs no folders
		return err
	}
	return nil
}

// Create replaces the file at path atomically, with the data that write writes. After an error the file is as before.
func Create(path string, perm os.FileMode, write func(io.Writer) error) error {
	return replace(path, perm, func(*os.File) error { return nil }, write)
}

func replace(path string, perm os.FileMode, settle func(*os.File) error, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	buf := bufio.NewWriter(f)
	if err = write(buf); err == nil {
		err = buf.Flush()
	}
	if err = errors.Join(err, f.Chmod(perm), settle(f), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
