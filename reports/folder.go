package reports

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/reports/model"
)

// A Writer writes one form of a report.
type Writer func(io.Writer, model.Report) error

// write writes text, one form of a report, to w.
func write(w io.Writer, form string, text []byte) error {
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("reports: write %s: %w", form, err)
	}
	return nil
}

// A File is a file of a run folder with the writer of its content.
type File struct {
	Name  string
	Write Writer
}

// WriteFolder writes report.json, junit.xml, summary.md, metrics.prom and more into dir, and patches beside the evidence. It replaces each
// file whole or not at all. dir must exist.
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
		if err := sharedfile.Write(filepath.Join(dir, file.Name), b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("reports: write %s: %w", file.Name, err)
		}
	}
	return writePatches(dir, r)
}

// PatchFile is the name of the patch that applies advice, in the folder of a scenario's evidence.
const PatchFile = "patch.yaml"

func writePatches(dir string, r model.Report) error {
	for _, s := range r.Scenarios {
		if s.Patch == nil {
			continue
		}
		text := fmt.Sprintf("# Follows %s; rollcall explain says more of each.\n", strings.Join(s.Patch.Follows, ", "))
		if slices.Contains(s.Patch.Follows, "RC3009") { // defaults.go of apps/v1; CODES.md says the same
			text += "# For the manifest alone: kubectl patch with it would leave the app one pod.\n"
		}
		file := filepath.Join(dir, filepath.FromSlash(s.Evidence), PatchFile)
		if err := sharedfile.Write(file, []byte(text+s.Patch.YAML), 0o644); err != nil {
			return fmt.Errorf("reports: write %s: %w", s.Evidence+"/"+PatchFile, err)
		}
	}
	return nil
}
