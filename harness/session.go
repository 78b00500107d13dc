package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/lock"
	"rollcall/harness/progress"
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

// Join makes the rig part of a session that its caller began, after Prepare, and will end by Leave.
func (r *Rig) Join(s evidence.Session) (err error) {
	r.session = s
	if r.attached != nil {
		r.life, err = live(r.attached.REST.Host, s.ID)
	}
	return err
}

// Leave ends what Join began. Of a run in which something broke something may have been left behind, and the next run on the
// target is to look.
func (r *Rig) Leave(broken bool) error {
	switch {
	case r.life == nil:
		return nil
	case broken:
		return r.life.Abandon()
	}
	return r.life.Release()
}

// openSession makes the run folder, unless our parent did.
func (r *Rig) openSession(suite string) (err error) {
	if r.session.ID != "" {
		return nil
	}
	now := time.Now().UTC()
	if r.Out == "" {
		r.Out = filepath.Join(r.home.Runs(), now.Format("20060102-150405")+"-"+suite)
	}
	if err := r.beginSession(now); err != nil {
		return err
	}
	part := ""
	if !r.began {
		part = strings.Join(append([]string{suite}, r.modes...), "-")
	} else if r.attached != nil {
		if r.life, err = live(r.attached.REST.Host, r.session.ID); err != nil {
			return err
		}
	}
	r.board, err = progress.Open(r.Out, part, r.session.ID, r.session.Began)
	return err
}

// beginSession reads the session of the run folder, or begins it there; of several processes one does.
func (r *Rig) beginSession(now time.Time) (err error) {
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
	r.session.Profile, r.session.Rate, r.session.Jobs = string(r.profile), r.rate, r.jobs
	if err := RemoveTurns(r.Out); err != nil { // of a run that died in this folder
		return err
	}
	return store.WriteJSON(file, r.session)
}

// closeSession notes the end of a run that is ours alone, and what broke in it. It reads the file
// back, because a file that changed this moment keeps go test from answering the next run out of
// its cache.
func (r *Rig) closeSession(broken []string) (err error) {
	r.session, err = EditSession(r.Out, func(s *evidence.Session) {
		s.Broken = append(s.Broken, broken...)
		if r.began {
			s.Ended = time.Now().UTC()
		}
	})
	return errors.Join(err, store.ReadJSON(evidence.SessionPath(r.Out), &r.session), r.Leave(len(broken) > 0))
}

// rateSteps are the requests per second and lane that recordings are made with: at first the most, and a step lower each time
// this machine turns out to carry less. At the last one a rollout of 10 s still has 60 requests of each lane.
var rateSteps = []int{100, 50, 25, 12, 6}

// ratePerCore is what a core carries of the requests per second and lane of all recordings under load together, with their
// nodes, on machines of 2 cores.
const ratePerCore = 50

// firstRate is what recordings are made with at first: what the machine carries, shared among those that are under load side
// by side, and no more than the first step.
func firstRate(jobs, cores int) int {
	for _, step := range rateSteps {
		if step*loadsOf(jobs) <= ratePerCore*cores {
			return step
		}
	}
	return rateSteps[len(rateSteps)-1]
}

// limits are the rate and how many recordings go on side by side now.
func (r *Rig) limits() (rate, jobs int, err error) {
	var s evidence.Session
	err = store.ReadJSON(evidence.SessionPath(r.Out), &s)
	return s.Rate, s.Jobs, err
}

// lowerRate goes one step below a rate that was too much, unless somebody has done so already. It gives the rate from
// now on.
func (r *Rig) lowerRate(from int, because string) (now int, err error) {
	now = from
	_, err = EditSession(r.Out, func(s *evidence.Session) {
		if s.Rate < from {
			now = s.Rate
			return
		}
		for _, step := range rateSteps {
			if step < from {
				now = step
				break
			}
		}
		if now < from {
			s.Rate = now
			s.Steps = append(s.Steps, fmt.Sprintf("the rate was lowered from %d to %d requests per second and lane: %s", from, now, because))
		}
	})
	return now, err
}

// lowerJobs lets one recording less go on side by side than there were, because what the cluster itself does came late; unless
// somebody has done so already.
func (r *Rig) lowerJobs(from int, because string) (now int, err error) {
	_, err = EditSession(r.Out, func(s *evidence.Session) {
		if now = s.Jobs; now == from && now > 1 {
			now--
			s.Steps = append(s.Steps, fmt.Sprintf("recordings side by side were lowered from %d to %d: %s", from, now, because))
			s.Jobs = now
		}
	})
	return now, err
}

// spend notes, when the function returned is called, what the time since was spent on.
func (r *Rig) spend(span evidence.Span) (done func()) {
	span.Began = time.Now().UTC()
	return func() {
		span.Seconds = time.Since(span.Began).Seconds()
		if err := store.AppendSpan(r.Out, span); err != nil {
			r.breaks(err.Error())
		}
	}
}
