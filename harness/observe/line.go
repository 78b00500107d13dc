package observe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A line is a parsed line of the echo app's log: requests, or a step of the process. A request that names no lane is neither an arrival
// nor foreign: others than lanes ask too, such as whoever waits for the app's first reply.
type line struct {
	arrivals []evidence.Arrival
	foreign  int // requests whose lane or number is not one of the recording
	step     *evidence.Event
}

// A logFormat is what it takes to read the logs of a recording.
type logFormat struct {
	began      time.Time
	laneSuffix string // of the recording's lanes, as in loadgen.Config
}

// parseLine parses a line of a pod's log, without its newline. Its times become offsets from began,
// on the clock of the pod's node. The error quotes the line.
func (f logFormat) parseLine(text string, by evidence.Server) (line, error) {
	kind, rest, _ := strings.Cut(text, " ")
	fields := strings.Split(rest, " ")
	switch {
	case kind == "A" && len(fields)%3 == 0:
		return f.parseRequests(fields, text, by)
	case kind == "T" && len(fields) >= 2:
		at, err := parseTime(fields[0], f.began)
		step := &evidence.Event{At: at, Clock: by.Node, By: by}
		if err != nil || !parseStep(step, fields[1:]) {
			return line{}, unreadable(text)
		}
		return line{step: step}, nil
	}
	return line{}, unreadable(text)
}

// parseRequests parses the fields of requests, three each: time, lane, sequence number. Whoever reaches the app chooses the last two.
func (f logFormat) parseRequests(fields []string, text string, by evidence.Server) (l line, err error) {
	for a := range slices.Chunk(fields, 3) {
		at, err := parseTime(a[0], f.began)
		if err != nil || a[1] == "" {
			return line{}, unreadable(text)
		}
		lane, ours := strings.CutSuffix(a[1], f.laneSuffix)
		seq, err := strconv.ParseUint(a[2], 10, 63) // as evidence.Arrival.Check wants it
		switch {
		case a[1] == "-":
		case !ours || lane == "" || err != nil:
			l.foreign++
		default:
			l.arrivals = append(l.arrivals, evidence.Arrival{Lane: lane, Seq: seq, At: at, By: by})
		}
	}
	return l, nil
}

func parseTime(unixNano string, began time.Time) (time.Duration, error) {
	unix, err := strconv.ParseInt(unixNano, 10, 64)
	return time.Unix(0, unix).Sub(began), err
}

// parseStep fills in a step from the words after the time. It returns false if it cannot parse them.
func parseStep(step *evidence.Event, words []string) bool {
	switch {
	case len(words) == 2 && words[0] == "start":
		step.Kind = evidence.PodStarted
	case len(words) == 2 && words[0] == "listen":
		step.Kind = evidence.PodListening
	case len(words) == 1 && words[0] == "sigterm":
		step.Kind = evidence.PodSigterm
	case len(words) == 1 && words[0] == "alive":
		step.Kind = evidence.PodKilled // if it is the last line
	case len(words) == 1 && words[0] == "drain":
		step.Kind = evidence.PodDraining
	case len(words) == 2 && words[0] == "waited":
		ms, err := strconv.Atoi(words[1])
		step.Kind, step.For = evidence.PodWaited, time.Duration(ms)*time.Millisecond
		return err == nil
	case len(words) == 2 && words[0] == "exit":
		code, err := strconv.Atoi(words[1])
		step.Kind, step.Count = evidence.PodExited, code
		return err == nil
	default:
		return false
	}
	return true
}

func unreadable(text string) error {
	return fmt.Errorf("line %.200q is neither an arrival nor a step", text)
}
