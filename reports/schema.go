package reports

import (
	_ "embed"
	"fmt"
	"io"
)

//go:embed report.schema.json
var schema string

// WriteSchema writes the JSON Schema, draft 2020-12, of what [JSON] writes: every field by name, with its unit.
func WriteSchema(w io.Writer) error {
	if _, err := io.WriteString(w, schema); err != nil {
		return fmt.Errorf("reports: write schema: %w", err)
	}
	return nil
}
