package document

import (
	_ "embed"
	"fmt"
	"io"
)

//go:embed app.schema.json
var app string

// WriteAppSchema writes the JSON Schema, draft 2020-12, of the file about an app of one's own, which package own reads.
func WriteAppSchema(w io.Writer) error {
	if _, err := io.WriteString(w, app); err != nil {
		return fmt.Errorf("document: write schema: %w", err)
	}
	return nil
}
