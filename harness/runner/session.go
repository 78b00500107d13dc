package runner

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/lock"
	"rollcall/harness/progress"
	"rollcall/harness/staging"
)

// EditSession changes the session of a run folder, which the processes of several suites may do at once.
func EditSession(folder string, edit func(*evidence.Session)) (s evidence.Session, err error) {
	file := evidence.SessionPath(folder)
	held, err := lock.Acquire(context.Background(), file+".lock", func(string) {})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if err := store.ReadJSON(file, &s); err != nil {
		return s, err
	}
	edit(&s)
	return s, store.WriteJSON(file, s)
}

// Join makes the runner part of a session that its caller began, after Prepare, and will end by Leave.
func (r *Runner) Join(s evidence.Session) (err error) {
	r.session = s
	if r.attached != nil {
		r.runLock, err = staging.AcquireRunLock(r.attached.REST().Host, s.ID)
	}
	return err
}

// Leave ends what Join began. What broke may have left something behind, and the next run on the
// target is to look.
func (r *Runner) Leave(broken bool) error {
	switch {
	case r.runLock == nil:
		return nil
	case broken:
		return r.runLock.Abort()
	}
	return r.runLock.Release()
}

// openSession begins the session of the run folder, or joins one that another process began.
func (r *Runner) openSession(suite string) (err error) {
	if r.session.ID != "" {
		return nil
	}
	now := time.Now().UTC()
	if r.Out == "" {
		r.Out = filepath.Join(r.layout.Runs(), now.Format("20060102-150405")+"-"+suite)
	}
	if err := r.beginSession(now); err != nil {
		return err
	}
	part := ""
	if !r.began {
		part = strings.Join(append([]string{suite}, r.modes...), "-")
	} else if r.attached != nil {
		if r.runLock, err = staging.AcquireRunLock(r.attached.REST().Host, r.session.ID); err != nil {
			return err
		}
	}
	r.board, err = progress.Open(r.Out, part, r.session.ID, r.session.Began)
	return err
}

// beginSession reads the session of the run folder, or begins it there; of several processes one does.
func (r *Runner) beginSession(now time.Time) (err error) {
	file := evidence.SessionPath(r.Out)
	held, err := lock.Acquire(context.Background(), file+".lock", func(string) {})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if store.ReadJSON(file, &r.session) == nil {
		return nil
	}
	r.began = true
	r.session = store.NewSession(filepath.Base(r.Out), now)
	r.session.Profile, r.session.Rate, r.session.Jobs, r.session.MostJobs = string(r.profile), r.rate, r.FirstJobs(), r.jobs
	if err := RemoveTurns(r.Out); err != nil { // of a run that died in this folder
		return err
	}
	return store.WriteJSON(file, r.session)
}

// closeSession notes the end of a run that is ours alone, and what broke in it. It reads the file
// back, because a file that changed this moment keeps go test from answering the next run out of
// its cache.
func (r *Runner) closeSession(broken []string) (err error) {
	r.session, err = EditSession(r.Out, func(s *evidence.Session) {
		s.Broken = append(s.Broken, broken...)
		if r.began {
			s.Ended = time.Now().UTC()
		}
	})
	return errors.Join(err, store.ReadJSON(evidence.SessionPath(r.Out), &r.session), r.Leave(len(broken) > 0))
}

// spend notes, when the function returned is called, what the time since was spent on.
func (r *Runner) spend(span evidence.Span) (done func()) {
	span.Began = time.Now().UTC()
	return func() {
		span.Seconds = time.Since(span.Began).Seconds()
		if err := store.AppendSpan(r.Out, span); err != nil {
			r.recordBreakage(err.Error())
		}
	}
}
