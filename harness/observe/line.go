package observe

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rollcall/harness/evidence"
)

// A line is what one line of the echo app's log says: an arrival or a step. A probe of reachability,
// which names no lane or no number, is neither.
type line struct {
	arrival *evidence.Arrival
	step    *evidence.Event
}

// parse reads a line that the pod wrote, without its line end. Its time becomes an offset from began,
// on the clock of the pod's node. The error quotes the line.
func parse(text string, began time.Time, by evidence.Server) (line, error) {
	fields := strings.Split(text, " ")
	if len(fields) < 3 {
		return line{}, unreadable(text)
	}
	unix, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return line{}, unreadable(text)
	}
	at := time.Unix(0, unix).Sub(began)
	switch kind, rest := fields[0], fields[2:]; {
	case kind == "A" && len(rest) == 2:
		if rest[0] == "-" || rest[1] == "-" {
			return line{}, nil
		}
		seq, err := strconv.ParseUint(rest[1], 10, 64)
		if err != nil || rest[0] == "" {
			return line{}, unreadable(text)
		}
		return line{arrival: &evidence.Arrival{Lane: rest[0], Seq: seq, At: at, By: by}}, nil
	case kind == "T":
		step := &evidence.Event{At: at, Clock: by.Node, By: by}
		if !readStep(step, rest) {
			return line{}, unreadable(text)
		}
		return line{step: step}, nil
	}
	return line{}, unreadable(text)
}

// readStep fills in what the words after the time say, and reports whether they say anything.
func readStep(step *evidence.Event, words []string) bool {
	switch {
	case len(words) == 2 && words[0] == "start":
		step.Kind = evidence.PodStarted
	case len(words) == 2 && words[0] == "listen":
		step.Kind = evidence.PodListening
	case len(words) == 1 && words[0] == "sigterm":
		step.Kind = evidence.PodSigterm
	case len(words) == 1 && words[0] == "drain":
		step.Kind = evidence.PodDraining
	case len(words) == 2 && words[0] == "exit":
		code, err := strconv.Atoi(words[1])
		step.Kind, step.Count = evidence.PodExited, code
		return err == nil
	default:
		return false
	}
	return true
}

func unreadable(text string) error { return fmt.Errorf("line %.200q is no arrival and no step", text) }
