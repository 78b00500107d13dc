package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"rollcall/harness/sharedfile"
	"rollcall/reports"
	"rollcall/reports/model"
)

// Added is what was added to a history.
type Added struct {
	Runs  int
	Going []string // run folders whose run has not ended, or was cut off: to be added when it has
	Bad   []error  // one line each, about what is no run or cannot be read
}

// AppendHistory appends to the history at path what it lacks of the runs in these folders, and gives the history as it is
// then. No line is ever changed: a run that is in is not appended again, even if it was judged anew since.
//
// The file is locked from before it is read until it is written, because two writers that both saw a run missing would
// both append it, however they write. Beyond that nothing depends on the lock: the lines of a run go in with a single
// writeFile to the end of the file, so those of two writers do not mix where locks do not reach, and lines that come twice
// are read once. A torn last line stays; what is appended begins a line of its own. waiting is called once if somebody
// else has the file, with what they say of themselves.
func AppendHistory(ctx context.Context, path string, folders []string, waiting func(holder string)) (h History, added Added, err error) {
	l, err := sharedfile.Acquire(ctx, path+".lock", waiting)
	if err != nil {
		return h, added, fmt.Errorf("trend: append to %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	if h, err = ReadHistory(path); err != nil {
		return h, added, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return h, added, fmt.Errorf("trend: append: %w", err)
	}
	defer func() { err = errors.Join(err, f.Sync(), f.Close()) }()
	for _, folder := range folders {
		if ctx.Err() != nil {
			return h, added, fmt.Errorf("trend: append to %s: %w", path, context.Cause(ctx))
		}
		lines, err := linesIn(folder, h)
		switch {
		case errors.Is(err, errGoing):
			added.Going = append(added.Going, folder)
			continue
		case err != nil:
			added.Bad = append(added.Bad, err)
			continue
		case len(lines) == 0:
			continue
		}
		if err := h.write(f, lines); err != nil {
			return h, added, fmt.Errorf("trend: append to %s: %w", path, err)
		}
		added.Runs++
	}
	h.sort()
	return h, added, nil
}

// errGoing is for a run that has not ended.
var errGoing = errors.New("the run has not ended")

// linesIn is what a history lacks of the run in a folder. A report that is there is taken as it was written; without
// one the evidence is judged.
func linesIn(folder string, h History) ([]Line, error) {
	run, err := reports.ReadRun(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r, err := reports.Load(folder)
		return lacking(h, r, err)
	case err != nil:
		return nil, err
	case h.whole(run.ID, run.Began):
		return nil, nil
	}
	r, err := reports.Read(folder)
	return lacking(h, r, err)
}

func lacking(h History, r model.Report, err error) ([]Line, error) {
	switch {
	case err != nil:
		return nil, err
	case r.Run.Ended.IsZero():
		return nil, errGoing
	}
	return h.lacking(LinesOf(r)), nil
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
