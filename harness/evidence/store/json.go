package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/sharedfile"
)

// WriteJSON writes v as indented JSON, through a temporary file, so that a reader never sees a part of it.
func WriteJSON(path string, v any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	return create(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

// ReadJSON reads a file written by WriteJSON. Errors name the file, and the byte at which it is not JSON.
func ReadJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return fmt.Errorf("evidence: read %s: byte %d: %w", path, syntax.Offset, err)
		}
		return fmt.Errorf("evidence: read %s: %w", path, err)
	}
	return nil
}

// create writes a file, which a reader finds whole or not at all.
func create(path string, write func(io.Writer) error) error {
	if err := sharedfile.Create(path, 0o644, write); err != nil {
		return fmt.Errorf("evidence: write %s: %w", path, err)
	}
	return nil
}
