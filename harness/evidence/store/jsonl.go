package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// maxLine is the most bytes of an event on disk.
const maxLine = 1 << 20

// writeEvents writes one JSON object per line, by time, and returns how many. Events with the same time
// stay in the order noted.
func writeEvents(w io.Writer, events []evidence.Event) (int, error) {
	for n, e := range inOrder(events) {
		line, err := json.Marshal(e)
		if err == nil {
			err = e.Check()
		}
		if err == nil && len(line) >= maxLine {
			err = fmt.Errorf("%d bytes are more than %d", len(line)+1, maxLine)
		}
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		if err != nil {
			return n, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return len(events), nil
}

// readEvents reads a file written by writeEvents. The error names the first line, counted from 1, that is not an
// event or out of order; the events before it are returned too. Each clock has an order of its own.
func readEvents(r io.Reader) ([]evidence.Event, error) {
	var events []evidence.Event
	last := make(map[string]time.Duration)
	lines := bufio.NewReaderSize(r, maxLine)
	for n := 1; ; n++ {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return events, nil
		case errors.Is(err, io.EOF):
			return events, fmt.Errorf("line %d: it was cut off after %d bytes", n, len(line))
		case errors.Is(err, bufio.ErrBufferFull):
			return events, fmt.Errorf("line %d: it is longer than %d bytes", n, maxLine)
		case err != nil:
			return events, fmt.Errorf("line %d: %w", n, err)
		}
		e, err := parseEvent(line)
		if err != nil {
			return events, fmt.Errorf("line %d: %w", n, err)
		}
		if before, any := last[e.Clock]; any && e.At < before {
			return events, fmt.Errorf("line %d: at %s it is out of order, %s before an earlier line of the same clock", n, e.At, before-e.At)
		}
		last[e.Clock] = e.At
		events = append(events, e)
	}
}

func parseEvent(line []byte) (e evidence.Event, err error) {
	if err := json.Unmarshal(line, &e); err != nil {
		return evidence.Event{}, fmt.Errorf("not an event: %w", err)
	}
	e = withMessage(e)
	return e, e.Check()
}

// withMessage returns an event of the API with its message, and with its reason, which earlier builds wrote in the detail alone.
func withMessage(e evidence.Event) evidence.Event {
	if e.Kind != evidence.Reported {
		return e
	}
	if e.Reason == "" {
		e.Reason, _, _ = strings.Cut(e.Detail, ": ")
	}
	e.Message = strings.TrimPrefix(e.Detail, e.Reason+": ")
	return e
}

// inOrder returns the events by time; those with the same time stay in the order noted.
func inOrder(events []evidence.Event) []evidence.Event {
	ordered, _ := eventType().sorted(events).All() // in memory: it cannot fail
	return ordered
}
