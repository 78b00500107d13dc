package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/usage"
)

// Begin begins a session in the run folder, or continues the one that an earlier process began there and ended. The caller must call
// End, unless there is an error.
func (r *Runner) Begin(ctx context.Context, s evidence.Session, expected ...progress.Expected) (err error) {
	file := evidence.SessionPath(r.Out)
	r.folderLock, err = sharedfile.Acquire(ctx, file+".lock", func(holder string) {
		fmt.Fprintf(os.Stderr, "run folder %s is in use by %s; waiting for it\n", r.Out, holder)
	})
	if err != nil {
		return err
	}
	if store.ReadJSON(file, &r.session) != nil {
		r.session = s
	}
	r.session.Ended = time.Time{} // of the earlier process: this one may be killed
	err = store.WriteJSON(file, r.session)
	if err == nil && r.attached != nil {
		if r.runLock, err = staging.AcquireRunLock(r.attached.REST().Host, r.Preassigned(), r.session.ID); errors.Is(err, sharedfile.ErrHeld) {
			err = usage.New("run "+r.session.ID, "another run of this host began on "+r.attached.Name()+" in the same second", "begin once more")
		}
	}
	if err == nil && r.attached != nil {
		r.hold, err = r.Hold(ctx, r.attached, r.session.ID, os.Stderr, r.RecordBreakage)
	}
	if err == nil {
		r.board, err = progress.Open(r.Out, r.session.ID, r.session.Began)
	}
	if err != nil {
		return errors.Join(err, r.End())
	}
	r.board.Expect(expected)
	return nil
}

// End writes into the session when it ended and what broke in it. After a breakage the run lock is aborted, so that the next run on
// the target looks for what this one left. End reads the file back: go test does not cache a test that read a file which just changed.
func (r *Runner) End() (err error) {
	if r.hold != nil {
		if released := r.hold.Release(context.Background()); released != nil {
			r.RecordBreakage(released.Error())
		}
	}
	broken := r.Broken()
	switch {
	case r.runLock == nil:
	case len(broken) > 0:
		err = r.runLock.Abort()
	default:
		err = r.runLock.Release()
	}
	if r.board != nil {
		err = errors.Join(err, r.editSession(func(s *evidence.Session) { s.Broken, s.Ended = append(s.Broken, broken...), time.Now().UTC() }),
			store.ReadJSON(evidence.SessionPath(r.Out), &r.session), r.board.Err())
	}
	return errors.Join(err, r.folderLock.Release())
}

// openSession begins the session of the run folder, which is a new folder unless the options name one.
func (r *Runner) openSession(ctx context.Context, name string) error {
	if r.Out == "" {
		var err error
		if r.Out, err = NewFolder(r.layout.Runs(), "-"+name); err != nil {
			return err
		}
	}
	s := r.NewSession()
	s.Command = strings.Join(os.Args, " ")
	for _, variable := range r.List().Secrets() {
		_, token, _ := strings.Cut(variable, "=")
		s.Command = strings.ReplaceAll(s.Command, token, "(secret)")
	}
	s.Command = secret.URLs(s.Command)
	return r.Begin(ctx, s)
}

// NewFolder makes a run folder in root, whose name is this second, or the next in which no other run began, and an ending.
func NewFolder(root, ending string) (string, error) {
	for at := time.Now().UTC(); ; at = at.Add(time.Second) {
		folder := filepath.Join(root, at.Format("20060102-150405")+ending)
		err := os.MkdirAll(root, 0o755)
		if err == nil {
			err = os.Mkdir(folder, 0o755)
		}
		switch {
		case err == nil:
			return folder, nil
		case !errors.Is(err, fs.ErrExist):
			return "", usage.New("run folder "+folder, err.Error(), "make "+root+" writable")
		}
	}
}

// NewSession returns the session for a run that begins now in the run folder, after Prepare.
func (r *Runner) NewSession() evidence.Session {
	s := store.NewSession(filepath.Base(r.Out), time.Now().UTC())
	s.Profile, s.Rate, s.Jobs, s.MostJobs = string(r.profile), r.rate, r.FirstJobs(), r.jobs
	return s
}

// editSession changes the session, in memory and in the run folder.
func (r *Runner) editSession(edit func(*evidence.Session)) error {
	r.editing.Lock()
	defer r.editing.Unlock()
	edit(&r.session)
	return store.WriteJSON(evidence.SessionPath(r.Out), r.session)
}

// limits returns the current rate, and how many recordings may run side by side: jobs if one is under load, most if none is.
func (r *Runner) limits() (rate, jobs, most int) {
	r.editing.Lock()
	defer r.editing.Unlock()
	s := r.session
	return s.Rate, max(1, s.Jobs), max(s.Jobs, s.MostJobs, 1)
}

// spend begins a span; done ends it and writes it into the run folder.
func (r *Runner) spend(span evidence.Span) (done func()) {
	span.Began = time.Now().UTC()
	return func() {
		span.Seconds = time.Since(span.Began).Seconds()
		if err := store.AppendSpan(r.Out, span); err != nil {
			r.RecordBreakage(err.Error())
		}
	}
}
