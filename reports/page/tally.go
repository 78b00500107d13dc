package page

import (
	"cmp"
	"slices"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/reports/model"
)

// A tally listens to the tape of hits while the timeline is joined, so that a long tape is read once. It keeps 8
// bytes of every good reply by the Service, and the hits that decided a rule whole.
type tally struct {
	replies map[string]*[]reply // by version
	named   []evidence.Hit      // witnesses, on the recorder's clock
	err     error               // of the tape

	lanes map[string]*listener
}

// A reply is when a request was sent, in milliseconds since Run.Began, in the upper half, and how long its
// answer took, in microseconds, in the lower.
type reply uint64

// A listener is what a tally has to know of a lane.
type listener struct {
	ahead   time.Duration // of its node's clock
	service bool          // goes through the Service
	named   map[uint64]bool
}

func newTally(run evidence.Run, s model.Scenario) *tally {
	t := &tally{replies: map[string]*[]reply{}, lanes: map[string]*listener{}}
	ahead := timeline.Offsets(run)
	for _, lane := range run.Lanes {
		t.lanes[lane.ID] = &listener{ahead: ahead[lane.Node], service: lane.Kind().AsksApp(), named: map[uint64]bool{}}
	}
	for _, rule := range s.Rules {
		for _, w := range rule.Witnesses {
			if l := t.lanes[w.Lane]; l != nil {
				l.named[w.Seq] = true
			}
		}
	}
	return t
}

// listen gives the tape on as it is.
func (t *tally) listen(tape evidence.Tape[evidence.Hit]) evidence.Tape[evidence.Hit] {
	if tape == nil {
		return nil
	}
	return func(yield func(evidence.Hit, error) bool) {
		var l *listener
		var into *[]reply
		var lane, version string
		for h, err := range tape {
			if err != nil {
				t.err = err
			} else {
				if l == nil || h.Lane != lane {
					lane, l = h.Lane, cmp.Or(t.lanes[h.Lane], &listener{})
				}
				if l.named[h.Seq] {
					own := h
					own.Due, own.Sent = h.Due-l.ahead, h.Sent-l.ahead
					t.named = append(t.named, own)
				}
				if l.service && !h.Failed() {
					if into == nil || h.By.Version != version {
						version, into = h.By.Version, t.by(h.By.Version)
					}
					*into = append(*into, newReply(h.Sent-l.ahead, h.Took))
				}
			}
			if !yield(h, err) {
				return
			}
		}
	}
}

// by is where the replies by a version are kept.
func (t *tally) by(version string) *[]reply {
	if t.replies[version] == nil {
		t.replies[version] = new([]reply(nil))
	}
	return t.replies[version]
}

func newReply(sent, took time.Duration) reply {
	const most = 1<<32 - 1
	return reply(min(max(0, sent.Milliseconds()), most))<<32 | reply(min(max(0, took.Microseconds()), most))
}

func (r reply) sent() int64 { return int64(r >> 32) }
func (r reply) took() int64 { return int64(r & (1<<32 - 1)) }

// broke reports whether a problem is that the tape could not be read.
func (t *tally) broke(problem string) bool { return t.err != nil && t.err.Error() == problem }

// points lists every hit that failed, was sent more than once or decided a rule, by time sent.
func (t *tally) points(tl timeline.Timeline) []timeline.Hit {
	type name struct {
		lane string
		seq  uint64
	}
	seen := map[name]bool{}
	points := timeline.Failed(tl.Lanes)
	for _, h := range points {
		seen[name{h.Lane, h.Seq}] = true
	}
	add := func(h timeline.Hit) {
		if !seen[name{h.Lane, h.Seq}] {
			points = append(points, h)
		}
	}
	for _, h := range timeline.Repeated(tl.Lanes) {
		add(h)
	}
	for _, h := range points {
		seen[name{h.Lane, h.Seq}] = true
	}
	for _, h := range t.named {
		add(timeline.Hit{Hit: h})
	}
	slices.SortStableFunc(points, func(a, b timeline.Hit) int {
		return cmp.Or(cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Seq, b.Seq))
	})
	return points
}
