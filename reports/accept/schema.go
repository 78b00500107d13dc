package accept

import (
	_ "embed"
	"fmt"
	"io"
)

//go:embed policy.schema.json
var schema string

// WriteSchema writes the JSON Schema, draft 2020-12, of a policy file.
func WriteSchema(w io.Writer) error {
	if _, err := io.WriteString(w, schema); err != nil {
		return fmt.Errorf("accept: write schema: %w", err)
	}
	return nil
}
