package conformance

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"rollcall/harness"
	"rollcall/harness/progress"
	"rollcall/harness/runner"
	"rollcall/reports"
)

// A plan is what a run will record and about how long it will take.
type plan struct {
	profile  harness.Profile
	jobs     int // side by side, one of them under load
	mostJobs int // with none under load
	leftOut  int // scenarios of each mode
	skipped  int // scenarios, in all modes
	expected []progress.Expected
	image    time.Duration // that the node image takes
	modes    []string
	work     map[string]*work // by mode
	learnt   string           // where the times come from
	atOnce   int              // modes
}

// work is what a mode has to do, in seconds.
type work struct {
	scenarios                int
	all, underLoad, byItself float64
	jobs, loads, mostJobs    int  // side by side beside one under load, of them under load, and with none under load
	shared                   bool // on a cluster that is made for all of it
}

// clusterLasts is what a cluster takes to be made, tried out and removed: 40 to 60 s on 2 cores, by its own lines.
const clusterLasts = 65 * time.Second

// plan adds up what each scenario took in the last run, or would by an estimate. A recording that several judge counts once.
func (r *run) plan(ctx context.Context) (p plan, err error) {
	p = plan{profile: r.runner.ProfileName(), jobs: r.runner.FirstJobs(), mostJobs: r.runner.MostJobs(), atOnce: r.runner.ModesAtOnce(),
		work: map[string]*work{}, learnt: "estimated"}
	last, err := reports.Read(filepath.Join(r.runner.Layout().Runs(), "latest"))
	took := map[progress.Name]float64{}
	if err == nil {
		for _, s := range last.Scenarios {
			took[progress.Name{Mode: s.Mode, Suite: s.Suite, Scenario: s.ID}] = s.Seconds
		}
	}
	left, recorded := map[string]int{}, map[string]bool{}
	var versions []string // of node images, for clusters that scenarios have for themselves
	shared := false       // there is a cluster for all others
	for i := range r.scenarios {
		s := &r.scenarios[i]
		l := s.listed
		switch {
		case l.LeftOut:
			left[l.Mode]++
			p.leftOut = max(p.leftOut, left[l.Mode])
			continue
		case l.Skipped != "":
			p.skipped++
			continue
		}
		versions, shared = append(versions, l.Own...), shared || len(l.Own) == 0
		if !slices.Contains(p.modes, l.Mode) {
			p.modes = append(p.modes, l.Mode)
			p.work[l.Mode] = &work{jobs: p.jobs, mostJobs: p.mostJobs}
		}
		p.work[l.Mode].shared = p.work[l.Mode].shared || len(l.Own) == 0
		name := progress.Name{Mode: l.Mode, Suite: l.Suite, Scenario: l.Scenario}
		if was := took[name]; was > 0 {
			s.seconds, p.learnt = was, "by the last run"
		}
		seconds := s.seconds
		if l.Rollout != "" && recorded[l.Mode+l.Rollout] {
			seconds = 1
		}
		recorded[l.Mode+l.Rollout] = true
		p.expected = append(p.expected, progress.Expected{Name: name, Seconds: seconds, Beside: l.Beside})
		p.work[l.Mode].add(seconds, l)
	}
	p.image, err = r.clusters.imageTime(ctx, shared, versions)
	return p, err
}

// recorded is how many scenarios are to be, in all modes.
func (p plan) recorded() int { return len(p.expected) }

func (w *work) add(seconds float64, l runner.Listed) {
	w.scenarios++
	if l.Whole {
		w.byItself += seconds
		return
	}
	w.all += seconds
	if len(l.Needs) > 0 && l.Needs[0] == harness.NeedsLoad {
		w.underLoad += seconds
		w.loads = l.Beside
	}
}

// seconds is how long the mode takes: those under load one after the other, and what does not fit beside them side by side.
func (w *work) seconds() float64 {
	made := 0.0
	if w.shared {
		made = clusterLasts.Seconds()
	}
	loads := float64(max(1, w.loads))
	underLoad := w.underLoad / loads
	rest := max(0, w.all-w.underLoad-underLoad*(float64(w.jobs)-loads))
	return made + w.byItself + underLoad + rest/float64(w.mostJobs)
}

// seconds is how long the run takes.
func (p plan) seconds() float64 {
	sum := p.image.Seconds()
	for _, mode := range p.modes {
		sum += p.work[mode].seconds() / float64(p.atOnce)
	}
	return sum
}

// long is after how many seconds a run says what would be shorter.
const long = 3600

func (p plan) print(w io.Writer) {
	for _, mode := range p.modes {
		fmt.Fprintf(w, "expected: %s takes %s for %d scenarios, %s\n", mode, minutes(p.work[mode].seconds()), p.work[mode].scenarios, p.learnt)
	}
	fmt.Fprintf(w, "expected: profile %s takes %s, up to %d recordings side by side\n", p.profile, minutes(p.seconds()), p.mostJobs)
	if p.leftOut > 0 {
		fmt.Fprintf(w, "profile %s leaves out %d scenarios of each mode, which --profile=full records\n", p.profile, p.leftOut)
	}
	if p.seconds() > long {
		fmt.Fprintln(w, "that is over an hour: --profile=core shows every claim in less, --profile=smoke both twins, --modes=iptables one mode")
	}
}

func minutes(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}
