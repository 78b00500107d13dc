package reports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/rollcall/reports/model"
)

// ReportFile is the name of the report in a run folder.
const ReportFile = "report.json"

// Read reads the report.json of the run folder dir, and judges nothing anew. The error, one line, says that there is none that this build
// can read.
func Read(dir string) (model.Report, error) {
	file := filepath.Join(dir, ReportFile)
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return model.Report{}, fmt.Errorf("%s: it is not a judged run, as it has no %s: %w", dir, ReportFile, fs.ErrNotExist)
	case err != nil:
		return model.Report{}, fmt.Errorf("%s: it cannot be read: %w", dir, err)
	}
	var r model.Report
	switch err := json.Unmarshal(data, &r); { // a field of another type does not keep the others from being read
	case r.Kind != "" && r.Kind != model.Kind:
		return model.Report{}, fmt.Errorf("%s: its kind is %q, not %s: name a run folder", file, r.Kind, model.Kind)
	case r.APIVersion != "" && r.APIVersion != model.APIVersion:
		return model.Report{}, fmt.Errorf("%s: it is %q, this build reads %s: use a newer Rollcall", file, r.APIVersion,
			model.APIVersion)
	case err != nil:
		return model.Report{}, fmt.Errorf("%s: %w: judge the run again: rollcall report %s", file, err, dir)
	case r.Kind == "" || r.APIVersion == "":
		return model.Report{}, fmt.Errorf("%s: it is not a report: name a run folder", file)
	}
	return r, nil
}
