package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteJSON writes v indented, through a temporary file, so that a reader never sees half of it.
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

// ReadJSON reads what WriteJSON wrote; errors name the file, and the byte where it is not JSON.
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

// create writes a file under another name first, so that under its own it is whole or not there.
func create(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	buf := bufio.NewWriter(f)
	err = errors.Join(write(buf), buf.Flush(), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("evidence: write %s: %w", path, err)
	}
	return nil
}
