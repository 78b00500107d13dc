package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/evidence"
)

// AppendSpan adds a span to those of a run folder. Several processes may do so at once: each line is one write.
func AppendSpan(folder string, s evidence.Span) error {
	line, err := json.Marshal(s)
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return fmt.Errorf("evidence: write %s: %w", evidence.SpansFile, err)
	}
	path := evidence.SpansPath(folder)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	return nil
}

// ReadSpans reads the spans of a run folder in the order in which they ended; without a file there are none. It skips a
// last line that was cut off. The error names any other line that is not a span; the spans before it are returned too.
func ReadSpans(folder string) ([]evidence.Span, error) {
	path := evidence.SpansPath(folder)
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("evidence: %w", err)
	}
	var spans []evidence.Span
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return spans, nil
		}
		var s evidence.Span
		err := json.Unmarshal(line, &s)
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			return spans, fmt.Errorf("evidence: read %s: line %d: not a span: %w", path, n, err)
		}
		spans, data = append(spans, s), rest
	}
}
