package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// A Recording is a scenario's evidence, joined and judged.
type Recording struct {
	kept.Recording
	Scenario model.Scenario
	Name     string // as it was asked for, to be put into command lines

	zero    time.Duration // from which times are told
	from    string        // what came then, such as "the rollout began"
	replies map[string]replies
}

// replies are the good replies of a pod.
type replies struct {
	count       int
	first, last time.Duration // when their requests were sent
}

// Open reads the recording in a folder. Requests that are asked for can be looked at even if nothing went wrong with them. The error says
// that the folder has no recording that this build can read.
func Open(folder, name string, asked ...timeline.HitID) (*Recording, error) {
	r := &Recording{Name: name, replies: map[string]replies{}}
	var err error
	r.Scenario, r.Recording, err = reports.LoadEvidence(folder, r.count, asked...)
	if err != nil {
		return nil, err
	}
	r.zero, r.from = r.begin()
	return r, nil
}

func (r *Recording) count(h evidence.Hit, err error) {
	if err != nil || h.Failed() || h.By.Pod == "" {
		return
	}
	of := r.replies[h.By.Pod]
	if of.count == 0 {
		of.first, of.last = h.Sent, h.Sent
	}
	of.count++
	of.first, of.last = min(of.first, h.Sent), max(of.last, h.Sent)
	r.replies[h.By.Pod] = of
}

func (r *Recording) begin() (at time.Duration, what string) {
	for _, mark := range []struct {
		kind evidence.EventKind
		what string
	}{
		{evidence.RolloutBegun, "the rollout began"},
		{evidence.DisruptionBegun, "the disruption began"},
		{evidence.LoadBegun, "the load began"},
	} {
		if at, ok := r.Timeline.Mark(mark.kind); ok && (!r.Timeline.HostAlone || mark.kind != evidence.RolloutBegun) {
			return at, mark.what
		}
	}
	return 0, "the recording began"
}

// offset writes a time, which is on the recorder's clock, from the zero: "+0.140s".
func (r *Recording) offset(at time.Duration) string { return signed(at - r.zero) }

func signed(d time.Duration) string { return fmt.Sprintf("%+.3f s", d.Seconds()) }

// ParseRequest parses LANE/N, such as worker-fresh/165.
func ParseRequest(text string) (timeline.HitID, error) {
	lane, number, _ := strings.Cut(text, "/")
	seq, err := strconv.ParseUint(number, 10, 63)
	if err != nil || lane == "" {
		return timeline.HitID{}, usage.New("--request="+text, "it is not a lane and a number", "write it like worker-fresh/165")
	}
	return timeline.HitID{Lane: lane, Seq: seq}, nil
}

// request finds a request that was asked for.
func (r *Recording) request(id timeline.HitID) (Request, error) {
	name := fmt.Sprintf("--request=%s/%d", id.Lane, id.Seq)
	var lanes []string
	for _, lane := range r.Timeline.Lanes {
		lanes = append(lanes, lane.ID)
	}
	if !slices.Contains(lanes, id.Lane) {
		return Request{}, usage.New(name, "the recording has no lane "+id.Lane, "choose one of: "+strings.Join(lanes, ", "))
	}
	h, ok := r.Timeline.Find(id.Lane, id.Seq)
	if !ok {
		n := r.Timeline.Lanes[slices.Index(lanes, id.Lane)].Summary.Requests
		return Request{}, usage.New(name, fmt.Sprintf("the lane has %s, and none of that number", phrase.Count(n, "request")),
			"numbers begin with 0")
	}
	return NewRequest(h, r.Timeline), nil
}

// pod finds a pod by its name, or by the last part of it.
func (r *Recording) pod(name string) (Life, error) {
	var found []Life
	var names []string
	for _, p := range r.Timeline.Pods {
		if p.Pod == name {
			return Life{p}, nil
		}
		if Short(p.Pod) == name {
			found = append(found, Life{p})
		}
		names = append(names, p.Pod)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(names) == 0:
		return Life{}, usage.New("--pod="+name, "the recording has no pod", "leave it out")
	default:
		return Life{}, usage.New("--pod="+name, "the recording has no pod of that name, or several", "choose one of: "+strings.Join(names, ", "))
	}
}
