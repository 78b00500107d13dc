package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/usage"
)

// A Run is a plan that is being done. It holds the run folder, and on a target the locks that keep others away, until it ends.
type Run struct {
	Plan
	Folder string

	board    *progress.Board
	pool     namespace.Pool // of namespaces for recordings
	clusters clusters
	reading  Reading  // sees each recording; nil: nobody does
	recorder recorder // makes the recordings

	editing sync.Mutex // guards session
	session evidence.Session

	breaking sync.Mutex // guards broken
	broken   []string   // what went wrong outside the recordings

	folderLock *sharedfile.Lock // of the run folder
	runLock    *sharedfile.Lock // of a run on a target
	hold       *namespace.Hold  // of its preassigned namespaces
}

// NewSession returns the session of a run of the plan that begins now in a folder.
func (p Plan) NewSession(folder string) evidence.Session {
	s := store.NewSession(filepath.Base(folder), time.Now().UTC())
	s.Profile, s.Rate, s.Jobs, s.MostJobs = string(p.Profile), p.Rate, p.FirstJobs(), p.Jobs
	return s
}

// Begin begins to do the plan: it begins a session in a run folder, or continues the one that an earlier process began there and ended. The
// caller must call End, unless there is an error.
func (p Plan) Begin(ctx context.Context, folder string, s evidence.Session, expected ...progress.Expected) (r *Run, err error) {
	r = &Run{Plan: p, Folder: folder, pool: p.namespaces(), clusters: realClusters{}, recorder: recordWith}
	file := evidence.SessionPath(folder)
	r.folderLock, err = sharedfile.Acquire(ctx, file+".lock", func(holder string) {
		fmt.Fprintf(os.Stderr, "run folder %s is in use by %s; waiting for it\n", folder, holder)
	})
	if err != nil {
		return nil, err
	}
	if store.ReadJSON(file, &r.session) != nil {
		r.session = s
	}
	r.session.Ended = time.Time{} // of the earlier process: this one may be killed
	err = store.WriteJSON(file, r.session)
	if err == nil && p.Target != nil {
		r.runLock, err = staging.AcquireRunLock(p.Target.REST().Host, p.Options.Preassigned(), r.session.ID)
		if errors.Is(err, sharedfile.ErrHeld) {
			err = usage.New("run "+r.session.ID, "another run of this host began on "+p.Target.Name()+" in the same second", "begin once more")
		}
	}
	if err == nil && p.Target != nil {
		r.hold, err = p.Options.Hold(ctx, p.Target, r.session.ID, os.Stderr, r.RecordBreakage)
	}
	if err == nil {
		r.board, err = progress.Open(folder, r.session.ID, r.session.Began)
	}
	if err != nil {
		return nil, errors.Join(err, r.End())
	}
	r.board.Expect(expected)
	return r, nil
}

// End writes into the session when it ended and what broke in it. After a breakage the run lock is aborted, so that the next run on
// the target looks for what this one left. End reads the file back: go test does not cache a test that read a file which just changed.
func (r *Run) End() (err error) {
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
			store.ReadJSON(evidence.SessionPath(r.Folder), &r.session), r.board.Err())
	}
	return errors.Join(err, r.folderLock.Release())
}

// editSession changes the session, in memory and in the run folder.
func (r *Run) editSession(edit func(*evidence.Session)) error {
	r.editing.Lock()
	defer r.editing.Unlock()
	edit(&r.session)
	return store.WriteJSON(evidence.SessionPath(r.Folder), r.session)
}

// limits returns the current rate, and how many recordings may run side by side: jobs if one is under load, most if none is.
func (r *Run) limits() (rate, jobs, most int) {
	r.editing.Lock()
	defer r.editing.Unlock()
	s := r.session
	return s.Rate, max(1, s.Jobs), max(s.Jobs, s.MostJobs, 1)
}

// spend begins a span; done ends it and writes it into the run folder.
func (r *Run) spend(span evidence.Span) (done func()) {
	span.Began = time.Now().UTC()
	return func() {
		span.Seconds = time.Since(span.Began).Seconds()
		if err := store.AppendSpan(r.Folder, span); err != nil {
			r.RecordBreakage(err.Error())
		}
	}
}

// RecordBreakage stores a sentence, once, about what went wrong outside a recording.
func (r *Run) RecordBreakage(what string) {
	r.breaking.Lock()
	defer r.breaking.Unlock()
	if !slices.Contains(r.broken, what) { // a full disk says so at every write
		r.broken = append(r.broken, what)
	}
}

// Broken returns what went wrong outside the recordings so far.
func (r *Run) Broken() []string {
	r.breaking.Lock()
	defer r.breaking.Unlock()
	return slices.Clone(r.broken)
}
