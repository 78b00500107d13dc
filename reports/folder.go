package reports

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"rollcall/harness/atomicfile"
	"rollcall/reports/model"
)

// A Writer writes one form of a report.
type Writer func(io.Writer, model.Report) error

// A File is one of a run folder, and what writes it.
type File struct {
	Name  string
	Write Writer
}

// WriteFolder writes report.json, junit.xml, summary.md, metrics.prom and more into dir, each whole or not at all, over
// any that are there. dir must exist.
func WriteFolder(dir string, r model.Report, more ...File) error {
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
		if err := atomicfile.Write(filepath.Join(dir, file.Name), b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("reports: write %s: %w", file.Name, err)
		}
	}
	return nil
}
