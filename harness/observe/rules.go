package observe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"rollcall/harness/evidence"
)

// A ruleFollower reads the tape of one node's rule observer, which package noderules describes: the log of a
// container that runs once.
type ruleFollower struct {
	log
	watch *Watch
	node  string
	said  string // the last line that is not of the tape: why the observer does not work
	ended bool   // the observer said that it ends
}

// A routing is a change of a node's rules for an address of which no pod is known yet. It may belong to
// somebody else's Service.
type routing struct {
	address string
	event   evidence.Event
}

var errNoRules = errors.New("the observer ended without a word")

// FollowRules notes what the observer of a node's rules says, from now until it ends. Whoever started the
// observer ends it before Stop, which waits for its last line.
func (w *Watch) FollowRules(node string, observers typedcorev1.PodInterface, pod string) {
	f := &ruleFollower{watch: w, node: node}
	f.log = log{client: observers, take: f.takeLine, handOn: func() {}}
	w.followers.Go(func() {
		if err := f.readAll(pod); err != nil {
			w.locked(func() {
				w.unobserved[node] = err
				w.note(evidence.Event{Kind: evidence.RecorderLost, Object: node, Detail: fmt.Sprintf("rules of %s: %v", node, err)})
			})
		}
	})
}

// readAll reads the tape until its last line, again after each break.
func (f *ruleFollower) readAll(pod string) error {
	for ctx := f.watch.reading; ; {
		err := f.pass(ctx, pod, &corev1.PodLogOptions{Follow: true})
		switch {
		case f.ended:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("not read to its end: %w", context.Cause(ctx))
		case f.said != "":
			return errors.New(f.said)
		case errors.Is(err, errGone) && f.last == "" && f.there(ctx, pod): // and its kubelet has not heard of it yet
		case errors.Is(err, errGone), errors.Is(err, errRotated):
			return err
		case f.removed:
			return errNoRules
		}
		select {
		case <-time.After(retryEvery):
		case <-ctx.Done():
		}
	}
}

// there reports whether the observer may be in the API: not if that says it is none of those there. Observers may be
// listed by those who run them, and not be got.
func (f *ruleFollower) there(ctx context.Context, pod string) bool {
	found, err := f.client.List(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, pod).String()})
	return err != nil || len(found.Items) > 0
}

// takeLine notes what a line says. Nothing follows the last one.
func (f *ruleFollower) takeLine(text string) error {
	f.last = text
	tape, ours := strings.CutPrefix(text, "R ")
	if !ours {
		f.said = text
		return nil
	}
	if !f.read(strings.SplitN(tape, " ", 5)) {
		f.said = fmt.Sprintf("line %.200q is none of an observer's", text)
	}
	if f.ended {
		return io.EOF
	}
	return nil
}

// read reports whether the words of a line, its time first, say something.
func (f *ruleFollower) read(words []string) bool {
	at, err := readTime(words[0], f.watch.began)
	if err != nil || len(words) < 2 {
		return false
	}
	e := evidence.Event{At: at, Clock: f.node, Object: f.node}
	switch kind, rest := words[1], words[2:]; {
	case kind == "begin" && len(rest) == 2:
		e.Kind, e.Detail = evidence.RulesBegun, rest[0]+" by "+rest[1]
		f.hand(e)
		f.watch.locked(func() { f.watch.observed[f.node] = rest[0] })
	case kind == "none" && len(rest) > 0:
		f.watch.locked(func() { f.watch.proxyless[f.node] = strings.Join(rest, " ") })
	case kind == "added" && len(rest) == 2:
		e.Kind = evidence.RuleAdded
		f.route(rest[0], e)
	case kind == "gone" && len(rest) == 2:
		e.Kind = evidence.RuleGone
		f.route(rest[0], e)
	case kind == "sync" && len(rest) == 2:
		e.Kind, e.Detail = evidence.RulesSynced, rest[1]
		if e.At, err = readTime(rest[0], f.watch.began); err != nil {
			return false
		}
		f.hand(e)
	case kind == "load" && len(rest) == 3:
		return f.readLoad(e, rest)
	case kind == "stolen" && len(rest) == 1:
		e.Kind = evidence.NodeStolen
		if e.Count, err = strconv.Atoi(rest[0]); err != nil {
			return false
		}
		f.hand(e)
	case kind == "blind" && len(rest) == 3:
		since, err := readTime(rest[0], f.watch.began)
		if err != nil {
			return false
		}
		e.Kind, e.Count, e.Detail = evidence.NodeUnseen, int((at-since+time.Millisecond-1)/time.Millisecond), rest[1]+": "+rest[2]
		if rest[1] == "rules" {
			e.Kind, e.Detail = evidence.RulesUnseen, rest[2]
		}
		f.hand(e)
	case kind == "end" && len(rest) == 0:
		f.ended = true
	default:
		return false
	}
	return true
}

// readLoad reads permille of processor time, connections in conntrack and connections it can hold.
func (f *ruleFollower) readLoad(e evidence.Event, words []string) bool {
	var numbers [3]int
	for i, word := range words {
		var err error
		if numbers[i], err = strconv.Atoi(word); err != nil {
			return false
		}
	}
	e.Kind, e.Count = evidence.NodeBusy, numbers[0]
	f.hand(e)
	if capacity := numbers[2]; capacity > 0 {
		e.Kind, e.Count, e.Detail = evidence.NodeConntrack, 1000*numbers[1]/capacity, fmt.Sprintf("%d of %d", numbers[1], capacity)
		f.hand(e)
	}
	return true
}

// hand gives an event with its own time to the sink.
func (f *ruleFollower) hand(e evidence.Event) {
	f.watch.locked(func() { f.watch.sink.Event(e) })
}

// route notes a change for the pod that has the address, as soon as that is known.
func (f *ruleFollower) route(address string, e evidence.Event) {
	f.watch.locked(func() {
		if f.watch.routes[f.node] == nil {
			f.watch.routes[f.node] = map[string]bool{}
		}
		f.watch.routes[f.node][address] = e.Kind == evidence.RuleAdded
		if by, known := f.watch.addresses[address]; known {
			e.By = by
			f.watch.sink.Event(e)
			return
		}
		f.watch.unrouted = append(f.watch.unrouted, routing{address, e})
	})
}

// seeAddress learns which pod has an address; the caller holds the lock. A pod that ends still shows one that
// another has by then.
func (w *Watch) seeAddress(p *pod, address string) {
	if p.addresses[address] {
		return
	}
	if p.addresses == nil {
		p.addresses = map[string]bool{}
	}
	p.addresses[address] = true
	by := p.by
	w.addresses[address] = by
	var others []routing
	for _, r := range w.unrouted {
		if r.address != address {
			others = append(others, r)
			continue
		}
		r.event.By = by
		w.sink.Event(r.event)
	}
	w.unrouted = others
}
