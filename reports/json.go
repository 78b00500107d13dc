package reports

import (
	"encoding/json"
	"fmt"
	"io"

	"example.com/rollcall/reports/model"
)

// JSON writes report.json.
func JSON(w io.Writer, r model.Report) error { return Indented(w, r) }

// Indented writes data as JSON in the form of report.json.
func Indented(w io.Writer, data any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		return fmt.Errorf("reports: write json: %w", err)
	}
	return nil
}
