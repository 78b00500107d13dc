package usage

import (
	_ "embed"
	"fmt"
	"io"
)

//go:embed app.schema.json
var app string

// WriteAppSchema writes the JSON Schema, draft 2020-12, of the file about a user's app, which package userapp reads.
func WriteAppSchema(w io.Writer) error {
	if _, err := io.WriteString(w, app); err != nil {
		return fmt.Errorf("usage: write schema: %w", err)
	}
	return nil
}
