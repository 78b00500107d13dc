package mutants

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/verdict"
)

// rigMutants damage what sends the load, and what records.
func rigMutants() []Mutant {
	return []Mutant{
		{ID: "agent-killed", Damages: "a load agent is killed", Of: drained, When: begun(time.Second), Do: disruption.Killed(worker, "agent"),
			Want: verdict.Inconclusive, Cause: "agent-lost"},
		{ID: "agent-stopped", Damages: "a load agent is stopped for 1.5 s", Of: drained, When: begun(time.Second),
			Do: disruption.Stopped(worker, "agent", 1500*time.Millisecond), Want: verdict.Inconclusive, Cause: "late-lane"},
		{ID: "agent-stopped-once", Damages: "a load agent is stopped for 1.5 s, in the first recording", Of: drained, When: begun(time.Second),
			Do: disruption.Stopped(worker, "agent", 1500*time.Millisecond), Once: true, Want: verdict.Pass, Cause: Retry},
		{ID: "agent-starved", Damages: "a load agent runs for 10 ms of every 300, for 3 s", Of: drained,
			When: begun(time.Second), Do: starved(worker, "agent"), Want: verdict.Inconclusive, Cause: "late-lane"},
		{ID: "observer-killed", Damages: "the observer of one node's rules is killed", Of: drained, When: firstOldDeleted(),
			Do: disruption.Killed(worker2, "noderules"), Want: verdict.Inconclusive, Cause: "observer-lost"},
		{ID: "observer-stopped", Damages: "the observer of one node's rules is stopped from a deletion until after SIGTERM", Of: drained,
			When: firstOldDeleted(), Do: disruption.Stopped(worker, "noderules", 7*time.Second),
			Want: verdict.Inconclusive, Cause: "rules-before-sigterm"},
		{ID: "log-line-lost", Damages: "a line of a pod's log is lost", Of: drained, Events: losingArrival(worker+"-fresh", 250),
			Want: verdict.Inconclusive, Cause: "contradiction"},
		{ID: "mark-lost", Damages: "nobody notes that the load has ended", Of: drained, Events: losing(evidence.LoadEnded),
			Want: verdict.Inconclusive, Cause: "missing-mark"},
		{ID: "endpoints-unseen", Damages: "nobody notes that old pods leave the endpoints", Of: drained,
			Events: losing(evidence.EndpointNotReady, evidence.EndpointGone), Want: verdict.Inconclusive, Cause: "max-rule-lag"},
		{ID: "clock-off", Damages: "a node's clock jumps back by 4 s", Of: drained,
			Folder: clockOff(worker, -4*time.Second), Want: verdict.Inconclusive,
			Cause: "max-rule-lag"},
		{ID: "client-resends", Damages: "a client sends again what a dead connection lost, and nobody knows", Of: undrained,
			Change: func(s *harness.Scenario) {
				s.App.HandlerDelay = 200 * time.Millisecond // so that requests are in flight when a pod exits
				s.Expect = append(s.Expect, verdict.NoHiddenRetries())
			}, Folder: resendsUnknown, Want: verdict.Fail, Cause: "no-hidden-retries"},
		{ID: "file-cut", Damages: "half of a file of the run folder is lost", Of: drained,
			Folder: cut(evidence.HitsFile), Want: verdict.Inconclusive,
			Cause: "damaged-file"},
	}
}

// starved has a program wait most of the time, as where others have the processors.
func starved(node, program string) disruption.Act {
	return disruption.Script(node, strings.ReplaceAll(`trap 'pkill -CONT -x PROGRAM' EXIT
for i in 1 2 3 4 5 6 7 8 9 10; do pkill -STOP -x PROGRAM; sleep 0.29; pkill -CONT -x PROGRAM; sleep 0.01; done`, "PROGRAM", program))
}

// losing loses events of a kind.
func losing(kinds ...evidence.EventKind) func(observe.Sink) observe.Sink {
	return func(next observe.Sink) observe.Sink { return losingSink{next, kinds, "", 0} }
}

// losingArrival loses the arrivals of one request.
func losingArrival(lane string, seq uint64) func(observe.Sink) observe.Sink {
	return func(next observe.Sink) observe.Sink { return losingSink{next, nil, lane, seq} }
}

type losingSink struct {
	observe.Sink
	kinds []evidence.EventKind
	lane  string
	seq   uint64
}

func (s losingSink) Event(e evidence.Event) {
	if !slices.Contains(s.kinds, e.Kind) {
		s.Sink.Event(e)
	}
}

func (s losingSink) Arrivals(arrivals ...evidence.Arrival) {
	for _, a := range arrivals {
		if a.Lane != s.lane || a.Seq != s.seq {
			s.Sink.Arrivals(a)
		}
	}
}

// editRun changes what a run folder says about its recording.
func editRun(folder string, edit func(*evidence.Run)) error {
	file := filepath.Join(folder, evidence.RunFile)
	var run evidence.Run
	if err := store.ReadJSON(file, &run); err != nil {
		return err
	}
	edit(&run)
	return store.WriteJSON(file, run)
}

// clockOff adds a reading of a node's clock that is off from those before.
func clockOff(node string, by time.Duration) func(string) error {
	return func(folder string) error {
		return editRun(folder, func(run *evidence.Run) {
			for _, r := range run.Clocks {
				if r.Node == "rollcall-"+run.Mode+"-"+node {
					r.Offset += by
					run.Clocks = append(run.Clocks, r)
					return
				}
			}
		})
	}
}

func resendsUnknown(folder string) error {
	return editRun(folder, func(run *evidence.Run) {
		for i := range run.Lanes {
			run.Lanes[i].Resends = false
		}
	})
}

// cut cuts a file of the run folder in half.
func cut(name string) func(string) error {
	return func(folder string) error {
		file := filepath.Join(folder, name)
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		return os.Truncate(file, info.Size()/2)
	}
}
