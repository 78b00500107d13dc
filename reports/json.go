package reports

import (
	"encoding/json"
	"fmt"
	"io"

	"example.com/rollcall/reports/model"
)

// JSON writes report.json.
func JSON(w io.Writer, r model.Report) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("reports: write json: %w", err)
	}
	return nil
}
