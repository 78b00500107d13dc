package run

import (
	"io"
	"log/slog"
	"strings"
)

// logFile, in the run folder, has every line of a run, also those that are not printed, with its time and, for lines of a scenario, its
// mode and name.
const logFile = "log.txt"

// A lineLog turns each line that is written to it into a record of a log. Each write has whole lines.
type lineLog struct{ *slog.Logger }

// newLineLog returns the log of a run.
func newLineLog(file io.Writer) lineLog { return lineLog{slog.New(slog.NewTextHandler(file, nil))} }

// of returns the log for the lines of a scenario.
func (l lineLog) of(mode, scenario string) io.Writer {
	return lineLog{l.With("mode", mode, "scenario", scenario)}
}

func (l lineLog) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		l.Info(strings.TrimSuffix(line, "\n"))
	}
	return len(text), nil
}
