package reports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A Writer writes one form of a report.
type Writer func(io.Writer, Report) error

// A File is one of a run folder, and what writes it.
type File struct {
	Name  string
	Write Writer
}

// WriteFolder writes report.json, junit.xml, summary.md, metrics.prom and more into dir, each whole or not at all, over
// any that are there. dir must exist.
func WriteFolder(dir string, r Report, more ...File) error {
	for _, file := range append([]File{
		{"report.json", JSON},
		{"junit.xml", JUnit},
		{"summary.md", Markdown},
		{"metrics.prom", Metrics},
	}, more...) {
		var b bytes.Buffer
		if err := file.Write(&b, r); err != nil {
			return err
		}
		if err := replace(filepath.Join(dir, file.Name), b.Bytes()); err != nil {
			return fmt.Errorf("reports: write %s: %w", file.Name, err)
		}
	}
	return nil
}

// replace puts data at path by way of a temporary file beside it, so that a reader never sees half.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
