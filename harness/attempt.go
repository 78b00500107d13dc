package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/progress"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict"
)

// An attempt is one recording of a scenario, and what it came to.
type attempt struct {
	rig     *Rig
	cluster *cluster.Cluster
	suite   string
	entry   *progress.Entry
	out     io.Writer
	number  int // from 1
	tries   int
}

// judged records the scenario, or takes the recording of another that asks about the same rollout, and judges it. It says
// whether there is to be another attempt, for which it may change the scenario.
func (a attempt) judged(ctx context.Context, s *Scenario) (v verdict.Verdict, again bool, err error) {
	folder := a.rig.folder(a.cluster.Mode, a.suite, s.ID, a.number)
	if a.number > 1 {
		_, v, again, err = a.recorded(ctx, s, folder)
		return v, again, err
	}
	same, err := a.rig.turns.share(ctx, *s)
	if err != nil {
		return v, false, err
	}
	defer func() { err = errors.Join(err, same.release()) }()
	if same != nil && same.made.Folder != "" {
		a.entry.Begin()
		fmt.Fprintf(a.out, "%s %s: judged from the recording of %s\n", a.cluster.Mode, s.ID, same.made.Scenario)
		run := a.header(s.at(rateSteps[0], a.rig.stretch())) // as that one was asked
		err := store.Relabel(same.made.Folder, folder, func(of *evidence.Run) {
			of.Scenario, of.Suite, of.Claim, of.Covers, of.Expect = run.Scenario, run.Suite, run.Claim, run.Covers, run.Expect
			of.Attempt, of.Tries, of.Measures = run.Attempt, run.Tries, run.Measures
		})
		if err != nil {
			return v, false, err
		}
		v, again, _, err = a.weigh(s, folder)
		return v, again, err
	}
	id := a.suite + "/" + s.ID
	trusted, v, again, err := a.recorded(ctx, s, folder)
	if err == nil && trusted {
		err = same.offer(id, folder)
	}
	return v, again, err
}

// recorded records the scenario when its turn comes, with a lower rate if this machine turns out not to carry the one asked
// for, and judges it. It reports whether the recording can be trusted.
func (a attempt) recorded(ctx context.Context, s *Scenario, folder string) (trusted bool, v verdict.Verdict, again bool, err error) {
	name := progress.Name{Mode: a.cluster.Mode, Suite: a.suite, Scenario: s.ID}
	release, err := a.rig.turns.take(ctx, s.share(), a.rig.board.Usual(name, s.estimate()))
	if err != nil {
		return false, v, false, err
	}
	defer func() { err = errors.Join(err, release()) }()
	a.entry.Begin()
	for {
		rate, jobs, err := a.rig.limits()
		if err != nil {
			return false, v, false, err
		}
		asked := s.at(rate, a.rig.stretch())
		if s.Then != nil && a.number > 1 {
			asked.App = s.App // as it was measured here
		}
		sp, err := a.rig.spaces.take(ctx)
		if err != nil {
			return false, v, false, err
		}
		r, err := a.record(ctx, asked, sp, folder, rate)
		if r == nil {
			a.rig.spaces.put(sp)
			return false, v, false, err
		}
		if tooMuch := r.tooMuch; tooMuch != "" && err == nil {
			a.leave(ctx, r, "")
			now, err := a.rig.lowerRate(rate, tooMuch)
			if err = errors.Join(err, os.RemoveAll(folder)); err != nil {
				return false, v, false, err
			}
			fmt.Fprintf(a.out, "%s %s: begun again with %d requests per second and lane instead of %d: %s\n", a.cluster.Mode, s.ID, now, rate, tooMuch)
			continue
		}
		if err == nil {
			v, again, trusted, err = a.weigh(s, folder)
		}
		if (err != nil || v.Outcome != verdict.Pass && v.Outcome != verdict.Skipped) && !again {
			r.diagnose(ctx, filepath.Join(folder, diagnostics))
		}
		a.leave(ctx, r, folder)
		if err == nil {
			err = a.slowDown(rate, jobs, v)
		}
		return trusted, v, again, err
	}
}

// slowDown takes from what a recording showed of this machine how the next ones are made.
func (a attempt) slowDown(rate, jobs int, v verdict.Verdict) error {
	switch {
	case v.Late:
		now, err := a.rig.lowerRate(rate, v.Because)
		if err == nil && now == rate { // the lowest
			_, err = a.rig.lowerJobs(jobs, v.Because)
		}
		return err
	case v.Starved:
		_, err := a.rig.lowerJobs(jobs, v.Because)
		return err
	}
	return nil
}

// leave ends what the recording started. Behind the next recording, unless that needs what this one still has.
func (a attempt) leave(ctx context.Context, r *recording, folder string) {
	leave := func() {
		defer a.rig.spend(evidence.Span{Part: evidence.CleanUpPart, Mode: a.cluster.Mode, Suite: a.suite, Scenario: r.ID})()
		defer a.rig.spaces.put(r.space)
		if left := r.leave(context.WithoutCancel(ctx), folder); left != nil {
			a.rig.breaks(fmt.Sprintf("%s %s: %v", a.cluster.Mode, r.ID, left))
			fmt.Fprintln(a.out, left)
		}
	}
	if r.share() == whole || a.rig.turns.oneLoad {
		leave()
		return
	}
	held, err := a.rig.turns.leaving()
	if err != nil || held == nil {
		leave()
		return
	}
	a.rig.leaving.Go(func() {
		leave()
		if err := held.Release(); err != nil {
			a.rig.breaks(err.Error())
		}
	})
}

// weigh judges a recording, and says whether there is to be another one, for which it may change the scenario, and whether
// others may judge this one.
func (a attempt) weigh(s *Scenario, folder string) (v verdict.Verdict, again, trusted bool, err error) {
	ev, err := store.Read(folder)
	if err != nil {
		return v, false, false, err
	}
	tl, err := timeline.Join(ev)
	if err != nil {
		return v, false, false, err
	}
	v = verdict.Judge(ev.Run, tl)
	decides := ev.Run // and does not only measure, for which clients may be late
	decides.Measures = false
	judged := verdict.Judge(decides, tl)
	trusted = !judged.Distrusted && !judged.Starved
	switch {
	case a.number >= a.tries || v.Distrusted || v.Outcome == verdict.Skipped:
		return v, false, trusted, nil
	case s.Then == nil:
		return v, v.Outcome == verdict.Inconclusive, trusted, nil
	}
	app, err := s.Then(s.App, tl)
	if err != nil {
		v.Because += ": " + err.Error()
		return v, false, trusted, nil
	}
	s.App = app
	return v, true, trusted, nil
}

// header is what is known of the attempt before it begins.
func (a attempt) header(s Scenario) evidence.Run {
	run := header(a.suite, a.cluster.Mode, s)
	run.Attempt, run.Tries, run.Kubernetes = a.number, a.tries, a.cluster.Kubernetes
	run.Measures = s.Then != nil && a.number == 1
	return run
}
