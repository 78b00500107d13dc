package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"rollcall/reports/model"
)

// ReportFile is what a run folder's report is called.
const ReportFile = "report.json"

// Read reads the report.json of the run folder dir as it was judged when it was written. The error, one line, is for
// a folder without one that this build can read.
func Read(dir string) (model.Report, error) {
	file := filepath.Join(dir, ReportFile)
	data, err := os.ReadFile(file)
	if err != nil {
		return model.Report{}, noReport(dir, err)
	}
	head, err := readHeading(bytes.NewReader(data))
	if err != nil {
		return model.Report{}, unreadable(dir, err)
	}
	if err := head.known(file); err != nil {
		return model.Report{}, err
	}
	var r model.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return model.Report{}, unreadable(dir, err)
	}
	return r, nil
}

// ReadRun reads of the report.json of the run folder dir what was run alone, which is at its beginning; its errors
// are those of Read.
func ReadRun(dir string) (model.Run, error) {
	file := filepath.Join(dir, ReportFile)
	f, err := os.Open(file)
	if err != nil {
		return model.Run{}, noReport(dir, err)
	}
	defer f.Close()
	head, err := readHeading(f)
	if err != nil {
		return model.Run{}, unreadable(dir, err)
	}
	return head.Run, head.known(file)
}

// noReport keeps apart a run without a report and what is no run.
func noReport(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reports: read %s: not a judged run: it has no %s: %w", dir, ReportFile, fs.ErrNotExist)
	}
	return fmt.Errorf("reports: read %s: %w", dir, err)
}

func unreadable(dir string, err error) error {
	return fmt.Errorf("reports: read %s: %w: judge the run again: rollcall report %s", filepath.Join(dir, ReportFile), err, dir)
}

// A heading is what a report begins with.
type heading struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Run        model.Run `json:"run"`
}

// readHeading reads up to and with the run, however long the report is.
func readHeading(r io.Reader) (h heading, err error) {
	dec := json.NewDecoder(r)
	if _, err := dec.Token(); err != nil {
		return h, err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return h, err
		}
		var into any = &json.RawMessage{}
		switch key {
		case "apiVersion":
			into = &h.APIVersion
		case "kind":
			into = &h.Kind
		case "run":
			return h, dec.Decode(&h.Run)
		}
		if err := dec.Decode(into); err != nil {
			return h, err
		}
	}
	return h, errors.New("it says of no run")
}

func (h heading) known(file string) error {
	switch {
	case h.Kind != model.Kind:
		return fmt.Errorf("reports: read %s: its kind is %q, not %s: name a run folder", file, h.Kind, model.Kind)
	case h.APIVersion != model.APIVersion:
		return fmt.Errorf("reports: read %s: it is %q, this build reads %s: use a newer Rollcall", file, h.APIVersion, model.APIVersion)
	}
	return nil
}
