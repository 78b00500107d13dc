package observe

import (
	"cmp"
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

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
)

// A ruleReader reads the output of the observer of one node's rules, which package noderules describes: the log of the first run of
// its container. An observer that restarted does not know the changes of the rules in between.
type ruleReader struct {
	containerLog
	tracker *ruleTracker
	node    string
	first   string // first line of the run
	flows   uint64 // connections read so far
	failure string // last line that is not in the observer's format: why the observer does not work
	ended   bool   // the observer wrote that it ends
	load    loadPeaks
}

// Why an observer's log has no "end" line.
var (
	errNoRules   = errors.New("the observer ended without writing its last line")
	errSecondRun = fmt.Errorf("%w, and was started again", errNoRules)
)

// run reads until the observer's last line. If that does not come, it notes the node's rules as lost.
func (r *ruleReader) run(ctx context.Context, pod string) {
	defer r.flushLoad()
	if err := r.readAll(ctx, pod); err != nil {
		r.tracker.lost(r.node, err)
	}
}

// readAll reads the log until its last line, again after each broken connection.
func (r *ruleReader) readAll(ctx context.Context, pod string) error {
	for over := false; ; { // whether the observer had ended before the pass
		err := r.pass(ctx, pod, &corev1.PodLogOptions{Follow: true})
		switch {
		case r.ended && r.failure == "":
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("not read to its end: %w", context.Cause(ctx))
		case r.failure != "":
			return errors.New(r.failure)
		case errors.Is(err, errGone) && r.mayRun(ctx, pod): // a kubelet that has just started may not know the pod yet
		case errors.Is(err, errReplaced):
			return errSecondRun
		case errors.Is(err, errGone), errors.Is(err, errRotated):
			return err
		case r.removed, err == nil && over:
			return errNoRules
		}
		over = err == nil && r.isOver(ctx, pod)
		poll.Pause(ctx, retryEvery)
	}
}

// mayRun reports whether the observer may run: not if the API lists no such pod, or one that is terminating or has
// ended. We may have the right to list observers, but not to get them.
func (r *ruleReader) mayRun(ctx context.Context, pod string) bool {
	found, err := r.list(ctx, pod)
	return err != nil || len(found.Items) > 0 && found.Items[0].DeletionTimestamp == nil && !hasEnded(found.Items[0])
}

// ofSecondRun reports whether a line begins the log of a run other than the first one.
func (r *ruleReader) ofSecondRun(text string) bool {
	words := strings.SplitN(text, " ", 4)
	begins := len(words) > 2 && words[0] == "R" && (words[2] == "begin" || words[2] == "none")
	return text != r.first && (begins || words[0] != "R")
}

// isOver reports whether the API shows that the observer's pod has ended, so that it will not restart.
func (r *ruleReader) isOver(ctx context.Context, pod string) bool {
	found, err := r.list(ctx, pod)
	if err != nil || len(found.Items) == 0 {
		return false
	}
	return hasEnded(found.Items[0])
}

func hasEnded(pod corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

func (r *ruleReader) list(ctx context.Context, pod string) (*corev1.PodList, error) {
	selector := fields.OneTermEqualSelector(metav1.ObjectNameField, pod).String()
	return r.client.List(ctx, metav1.ListOptions{FieldSelector: selector})
}

// readLine hands on what a line contains. It returns io.EOF after the last one.
func (r *ruleReader) readLine(text string) error {
	r.first, r.last = cmp.Or(r.first, text), text
	line, ofObserver := strings.CutPrefix(text, "R ")
	if !ofObserver {
		r.failure = text
		return nil
	}
	words := strings.SplitN(line, " ", 5)
	if len(words) > 1 && words[1] == "flow" {
		words = strings.Split(line, " ")
	}
	if !r.parse(words) {
		r.failure = fmt.Sprintf("line %.200q is not in the observer's format", text)
	}
	if r.ended {
		return io.EOF
	}
	return nil
}

// parse hands on what the words of a line, beginning with its time, contain. It returns false if it cannot parse them.
func (r *ruleReader) parse(words []string) bool {
	at, err := parseTime(words[0], r.tracker.began)
	if err != nil || len(words) < 2 {
		return false
	}
	e, t, learn := evidence.Event{At: at, Clock: r.node, Object: r.node}, r.tracker, func() {}
	switch kind, rest := words[1], words[2:]; {
	case kind == "begin" && len(rest) == 2:
		e.Kind, e.Detail = evidence.RulesBegun, rest[0]+" by "+rest[1]
		learn = func() { t.Observed[r.node] = rest[0] }
	case kind == "none" && len(rest) > 0:
		t.change(func() { t.Proxyless[r.node] = strings.Join(rest, " ") })
		return true
	case kind == "added" && len(rest) == 2:
		e.Kind = evidence.RuleAdded
		t.route(r.node, rest[0], rest[1], e)
		return true
	case kind == "gone" && len(rest) == 2:
		e.Kind = evidence.RuleGone
		t.route(r.node, rest[0], rest[1], e)
		return true
	case kind == "flow":
		return r.parseFlows(at, rest)
	case kind == "flows" && len(rest) == 0:
		e.Kind = evidence.FlowsBegun
		learn = func() { t.Listened[r.node] = "" }
	case kind == "noflows" && len(rest) > 0:
		e.Kind, e.Detail = evidence.FlowsUnseen, strings.Join(rest, " ")
		learn = func() { t.Listened[r.node] = e.Detail }
	case kind == "load" && len(rest) == 3:
		return r.parseLoad(e, rest)
	case kind == "stolen" && len(rest) == 1:
		e.Kind = evidence.NodeStolen
		e.Count, err = strconv.Atoi(rest[0])
	case kind == "blind" && len(rest) == 3:
		var since time.Duration
		since, err = parseTime(rest[0], t.began)
		e.Count = int((at - since + time.Millisecond - 1) / time.Millisecond)
		switch rest[1] {
		case "rules":
			e.Kind, e.Detail = evidence.RulesUnseen, rest[2]
		case "flows":
			e.Kind, e.Detail = evidence.FlowsUnseen, rest[2]
		default:
			e.Kind, e.Detail = evidence.NodeUnseen, rest[1]+": "+rest[2]
		}
	case kind == "end" && len(rest) == 0:
		r.ended = true
		return true
	default:
		return false
	}
	if err == nil {
		t.record(e, learn)
	}
	return err == nil
}

// loadSpan is the time of which only the highest load of a node is kept: a sample a second of 100 nodes over 8 hours would be 5.8 million
// events.
const loadSpan = 10 * time.Second

// loadPeaks are the events with the highest counts of a span.
type loadPeaks struct {
	until           time.Duration // the end of the span
	busy, conntrack evidence.Event
}

// parseLoad parses permille of processor time, connections in the conntrack table and the table's capacity.
func (r *ruleReader) parseLoad(e evidence.Event, words []string) bool {
	var numbers [3]int
	for i, word := range words {
		var err error
		if numbers[i], err = strconv.Atoi(word); err != nil {
			return false
		}
	}
	if e.At >= r.load.until {
		r.flushLoad()
		r.load.until = e.At + loadSpan
	}
	e.Kind, e.Count = evidence.NodeBusy, numbers[0]
	r.load.busy = busier(r.load.busy, e)
	if capacity := numbers[2]; capacity > 0 {
		e.Kind, e.Count, e.Detail = evidence.NodeConntrack, 1000*numbers[1]/capacity, fmt.Sprintf("%d of %d", numbers[1], capacity)
		r.load.conntrack = busier(r.load.conntrack, e)
	}
	return true
}

// busier returns the event with the higher count, or the other one if one is none.
func busier(a, b evidence.Event) evidence.Event {
	if a.Kind != "" && a.Count >= b.Count {
		return a
	}
	return b
}

// flushLoad records the peaks of the span.
func (r *ruleReader) flushLoad() {
	for _, e := range []evidence.Event{r.load.busy, r.load.conntrack} {
		if e.Kind != "" {
			r.tracker.record(e, func() {})
		}
	}
	r.load = loadPeaks{}
}
