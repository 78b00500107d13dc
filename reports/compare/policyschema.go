package compare

import (
	_ "embed"
	"fmt"
	"io"
)

//go:embed policy.schema.json
var policySchema string

// WritePolicySchema writes the JSON Schema, draft 2020-12, of a policy file.
func WritePolicySchema(w io.Writer) error {
	if _, err := io.WriteString(w, policySchema); err != nil {
		return fmt.Errorf("accept: write schema: %w", err)
	}
	return nil
}
