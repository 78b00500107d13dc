package run

import (
	"fmt"
	"io"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/progress"
)

// A duration says about how long a plan takes.
type duration struct {
	plan     Plan
	leftOut  int // scenarios of each mode that the profile leaves out
	expected []progress.Expected
	modes    []string         // that have scenarios
	work     map[string]*work // by mode
}

// work is what a mode has to do.
type work struct {
	scenarios int
	seconds   float64 // that it takes
	shared    bool    // scenarios share a cluster, which has to be made
}

// learn replaces the estimates of how long scenarios take by how long they took.
func (p *Plan) learn(took map[progress.Name]float64) {
	for i := range p.Scenarios {
		if was := took[p.Scenarios[i].Name]; was > 0 {
			p.Scenarios[i].Seconds, p.learnt = was, true
		}
	}
}

// duration adds up how long the scenarios take, each by as much as is recorded beside it. A shared recording counts once. Building a node
// image, on a first run, is not in it: that says by itself how long it takes.
func (p Plan) duration() duration {
	d := duration{plan: p, work: map[string]*work{}}
	left, recorded := map[string]int{}, map[string]bool{}
	for _, s := range p.Scenarios {
		mode := s.Name.Mode
		switch {
		case s.LeftOut:
			left[mode]++
			d.leftOut = max(d.leftOut, left[mode])
			continue
		case s.Skipped != "":
			continue
		}
		seconds := s.Seconds
		if s.Serves != "" && recorded[mode+s.Serves] {
			seconds = 1
		}
		recorded[mode+s.Serves] = true
		expected := progress.Expected{Name: s.Name, Seconds: seconds, Beside: s.Beside}
		d.expected = append(d.expected, expected)
		w := d.work[mode]
		if w == nil {
			w = &work{}
			d.modes, d.work[mode] = append(d.modes, mode), w
		}
		if !s.Apart && !w.shared {
			w.shared, w.seconds = true, w.seconds+harness.ClusterLasts.Seconds()
		}
		w.scenarios++
		w.seconds += expected.Share(seconds)
	}
	return d
}

// seconds returns how long the run takes.
func (d duration) seconds() (sum float64) {
	for _, w := range d.work {
		sum += w.seconds / float64(d.plan.ModesAtOnce)
	}
	return sum
}

// long is from how many seconds on the plan says which runs would be shorter.
const long = 3600

func (d duration) print(w io.Writer) {
	learnt := "estimated"
	if d.plan.learnt {
		learnt = "by the last run"
	}
	for _, mode := range d.modes {
		fmt.Fprintf(w, "expected: %s takes %s for %d scenarios, %s\n", mode, minutes(d.work[mode].seconds), d.work[mode].scenarios, learnt)
	}
	profile := d.plan.Profile
	fmt.Fprintf(w, "expected: profile %s takes %s, up to %d recordings side by side\n", profile, minutes(d.seconds()), d.plan.Jobs)
	if d.leftOut > 0 {
		fmt.Fprintf(w, "profile %s leaves out %d scenarios of each mode, which --profile=full records\n", profile, d.leftOut)
	}
	if d.seconds() > long {
		fmt.Fprintln(w, "that is over an hour: --profile=core tests all claims, --profile=smoke runs two scenarios, --modes=iptables one mode")
	}
}

func minutes(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}
