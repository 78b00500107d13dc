package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// HistoryFile is the name of a history unless another is given.
const HistoryFile = "history.jsonl"

// A History has every line of history.jsonl once, by when the runs began.
type History struct {
	Lines []Line
	Torn  []int // numbers of lines that are left out, because their writer died before their end

	ends bool // the last line is whole
	has  map[lineKey]bool
}

// A runKey identifies a run. The id alone does not: it is the second in which a run began, on whatever machine.
type runKey struct {
	id    string
	began int64
}

type lineKey struct {
	runKey
	scenario, mode string
}

func (l Line) run() runKey  { return runKey{l.Run, l.Began.UnixNano()} }
func (l Line) key() lineKey { return lineKey{l.run(), l.Scenario, l.Mode} }

// beginning is what every line begins with.
const beginning = `{"schema":`

// ReadHistory reads the history at path; without a file it is empty. Histories may be joined by concatenation: a line that comes again
// counts once. The error, one line, says that the file is not a history, or one that this build cannot read.
func ReadHistory(path string) (History, error) {
	h := History{ends: true, has: make(map[lineKey]bool)}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, fmt.Errorf("history %s: it cannot be read: %w", path, err)
	}
	h.ends = len(data) == 0 || data[len(data)-1] == '\n'
	number := 0
	for text := range bytes.Lines(data) {
		number++
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			continue
		}
		var l Line
		if err := json.Unmarshal(text, &l); err != nil || l.Run == "" {
			if start := text[:min(len(text), len(beginning))]; !bytes.HasPrefix([]byte(beginning), start) {
				return h, fmt.Errorf("history %s: line %d is not a line of a history: give another file: --history=FILE", path, number)
			}
			h.Torn = append(h.Torn, number)
			continue
		}
		if l.Schema > HistorySchema {
			return h, fmt.Errorf("history %s: line %d has schema %d, this build reads up to %d: use a newer Rollcall", path, number,
				l.Schema, HistorySchema)
		}
		h.add(l)
	}
	h.sort()
	return h, nil
}

func (h *History) add(l Line) {
	if !h.has[l.key()] {
		h.has[l.key()], h.Lines = true, append(h.Lines, l)
	}
}

func (h *History) sort() {
	slices.SortFunc(h.Lines, func(a, b Line) int {
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Run, b.Run), cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Mode, b.Mode))
	})
}

// runs returns how many runs the lines are of.
func (h History) runs() int {
	all := make(map[runKey]bool)
	for _, l := range h.Lines {
		all[l.run()] = true
	}
	return len(all)
}

// Values returns the values of a number, by its key, under the conditions, in decided runs other than those in but.
func (h History) Values(key string, c Conditions, but []string) (values []float64) {
	for _, l := range h.Lines {
		if l.Scenario != c.Scenario || l.Mode != c.Mode || !l.Decided() || l.Conditions() != c || slices.Contains(but, l.Run) {
			continue
		}
		if x, measured := l.Numbers[key]; measured {
			values = append(values, x)
		}
	}
	return values
}
