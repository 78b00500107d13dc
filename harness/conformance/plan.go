package conformance

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/reports"
)

// A plan says what a run will record, and about how long it will take.
type plan struct {
	profile  harness.Profile
	mostJobs int // recordings side by side, if none is under load
	leftOut  int // scenarios of each mode that the profile leaves out
	skipped  int // scenarios in all modes that would be skipped
	expected []progress.Expected
	modes    []string
	work     map[string]*work // by mode
	learnt   string           // where the durations come from, in words
	atOnce   int              // modes
}

// work is what a mode has to do.
type work struct {
	scenarios int
	seconds   float64 // that it takes
	shared    bool    // scenarios share a cluster, which has to be made
}

// plan adds up how long each scenario took in the last run, or would by its estimate, by as much as is recorded beside it. A shared
// recording counts once. Building a node image, on a first run, is not in it: that says by itself how long it takes.
func (r *run) plan() plan {
	p := plan{profile: r.runner.ProfileName(), mostJobs: r.runner.MostJobs(), atOnce: r.runner.ModesAtOnce(),
		work: map[string]*work{}, learnt: "estimated"}
	took := map[progress.Name]float64{}
	if last, err := reports.Read(filepath.Join(r.runner.Layout().Runs(), "latest")); err == nil {
		for _, s := range last.Scenarios {
			took[progress.Name{Mode: s.Mode, Suite: s.Suite, Scenario: s.ID}] = s.Seconds
		}
	}
	left, recorded := map[string]int{}, map[string]bool{}
	for i := range r.scenarios {
		l := &r.scenarios[i]
		mode := l.Name.Mode
		switch {
		case l.LeftOut:
			left[mode]++
			p.leftOut = max(p.leftOut, left[mode])
			continue
		case l.Skipped != "":
			p.skipped++
			continue
		}
		if was := took[l.Name]; was > 0 {
			l.Seconds, p.learnt = was, "by the last run"
		}
		seconds := l.Seconds
		if l.Serves != "" && recorded[mode+l.Serves] {
			seconds = 1
		}
		recorded[mode+l.Serves] = true
		expected := progress.Expected{Name: l.Name, Seconds: seconds, Beside: l.Beside}
		p.expected = append(p.expected, expected)
		w := p.work[mode]
		if w == nil {
			w = &work{}
			p.modes, p.work[mode] = append(p.modes, mode), w
		}
		if !l.Apart && !w.shared {
			w.shared, w.seconds = true, w.seconds+harness.ClusterLasts.Seconds()
		}
		w.scenarios++
		w.seconds += expected.Share(seconds)
	}
	return p
}

// seconds returns how long the run takes.
func (p plan) seconds() (sum float64) {
	for _, w := range p.work {
		sum += w.seconds / float64(p.atOnce)
	}
	return sum
}

// long is from how many seconds on the plan says which runs would be shorter.
const long = 3600

func (p plan) print(w io.Writer) {
	for _, mode := range p.modes {
		fmt.Fprintf(w, "expected: %s takes %s for %d scenarios, %s\n", mode, minutes(p.work[mode].seconds), p.work[mode].scenarios, p.learnt)
	}
	fmt.Fprintf(w, "expected: profile %s takes %s, up to %d recordings side by side\n", p.profile, minutes(p.seconds()), p.mostJobs)
	if p.leftOut > 0 {
		fmt.Fprintf(w, "profile %s leaves out %d scenarios of each mode, which --profile=full records\n", p.profile, p.leftOut)
	}
	if p.seconds() > long {
		fmt.Fprintln(w, "that is over an hour: --profile=core tests all claims, --profile=smoke runs two scenarios, --modes=iptables one mode")
	}
}

func minutes(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}
