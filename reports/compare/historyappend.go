package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"example.com/rollcall/reports"
)

// Added is what AppendHistory did.
type Added struct {
	Runs  int
	Going []string // run folders of runs that have not ended, or were cut off; they can be added when they have
	Bad   []error  // one line each, about folders that are not a run or cannot be read
}

// AppendHistory appends to the history at path the lines that it lacks of the runs in folders, and returns the history with them. It never
// changes a line: a run that is in the history is not appended again, even if it was judged anew since.
//
// It appends the lines of a run with a single write to the end of the file, so that those of two writers do not mix. Two writers that both
// saw a run missing both append it: lines that come twice are read once. A torn last line stays; what is appended begins a line of its own.
func AppendHistory(path string, folders []string) (h History, added Added, err error) {
	if h, err = ReadHistory(path); err != nil {
		return h, added, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return h, added, fmt.Errorf("trend: append: %w", err)
	}
	defer func() { err = errors.Join(err, f.Sync(), f.Close()) }()
	for _, folder := range folders {
		r, err := reports.Read(folder) // a report that was written is taken as it is
		if errors.Is(err, fs.ErrNotExist) {
			r, err = reports.Load(folder)
		}
		lines := slices.DeleteFunc(LinesOf(r), func(l Line) bool { return h.has[l.key()] })
		switch {
		case err != nil:
			added.Bad = append(added.Bad, err)
		case r.Run.Ended.IsZero():
			added.Going = append(added.Going, folder)
		case len(lines) > 0:
			if err := h.write(f, lines); err != nil {
				return h, added, fmt.Errorf("trend: append to %s: %w", path, err)
			}
			added.Runs++
		}
	}
	h.sort()
	return h, added, nil
}

func (h *History) write(f *os.File, lines []Line) error {
	var b bytes.Buffer
	if !h.ends {
		b.WriteByte('\n')
	}
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	if _, err := f.Write(b.Bytes()); err != nil {
		return err
	}
	h.ends = true
	for _, l := range lines {
		h.add(l)
	}
	return nil
}
