package conformance

import (
	"io"
	"log/slog"
	"strings"
)

// logFile has every line of a run that prints less, each with its time and, where it is of a scenario, that and its mode.
const logFile = "log.txt"

// A lineLog makes records of a log from the lines that are written to it, whole.
type lineLog struct{ *slog.Logger }

// newLineLog is one of a run.
func newLineLog(file io.Writer) lineLog { return lineLog{slog.New(slog.NewTextHandler(file, nil))} }

// of is the same, for the lines of a scenario.
func (l lineLog) of(mode, scenario string) io.Writer {
	return lineLog{l.With("mode", mode, "scenario", scenario)}
}

// Write takes whole lines.
func (l lineLog) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		l.Info(strings.TrimSuffix(line, "\n"))
	}
	return len(text), nil
}
