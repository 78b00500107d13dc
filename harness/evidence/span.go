package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// SpansFile is what the file of a session's spans is called, beside that of the session.
const SpansFile = "spans.jsonl"

// A Part is what a session spends time on.
type Part string

// The parts. IdlePart is no span's: it is the time in which none was under way.
const (
	ImagePart   Part = "image"    // building or pulling images, and loading them
	ClusterPart Part = "cluster"  // making a cluster, or attaching to one
	DeployPart  Part = "deploy"   // of the app and its clients
	SteadyPart  Part = "steady"   // load before anything changes
	RolloutPart Part = "rollout"  // load while it does
	SettlePart  Part = "settle"   // load after it
	CleanUpPart Part = "clean-up" // of what a scenario made
	IdlePart    Part = "idle"
)

// A Span is time spent on a part, by a mode's cluster, a suite or a scenario, as far as they are named.
type Span struct {
	Part     Part      `json:"part"`
	Mode     string    `json:"mode,omitempty"`
	Suite    string    `json:"suite,omitempty"`
	Scenario string    `json:"scenario,omitempty"`
	Began    time.Time `json:"began"`
	Seconds  float64   `json:"seconds"`
}

// Parts lists the parts in the order in which a session comes to them.
func Parts() []Part {
	return []Part{ImagePart, ClusterPart, DeployPart, SteadyPart, RolloutPart, SettlePart, CleanUpPart, IdlePart}
}

// AppendSpan adds a span to those of a run folder. Several processes may do so at once: each line is one write.
func AppendSpan(folder string, s Span) error {
	line, err := json.Marshal(s)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return fmt.Errorf("evidence: write %s: %w", SpansFile, err)
	}
	path := spansPath(folder)
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

// ReadSpans reads the spans of a run folder in the order in which they ended; without a file there are none. A last
// line that was cut off is skipped. The error names another line that is no span, and comes with the spans before it.
func ReadSpans(folder string) ([]Span, error) {
	path := spansPath(folder)
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("evidence: %w", err)
	}
	var spans []Span
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return spans, nil
		}
		var s Span
		err := json.Unmarshal(line, &s)
		if err == nil {
			err = s.check()
		}
		if err != nil {
			return spans, fmt.Errorf("evidence: read %s: line %d: it is no span: %w", path, n, err)
		}
		spans, data = append(spans, s), rest
	}
}

func (s Span) check() error {
	switch {
	case s.Part == IdlePart || !slices.Contains(Parts(), s.Part):
		return fmt.Errorf("unknown part %q", s.Part)
	case s.Seconds < 0:
		return fmt.Errorf("%s took %g s", s.Part, s.Seconds)
	default:
		return nil
	}
}

func spansPath(folder string) string { return filepath.Join(folder, "evidence", SpansFile) }
