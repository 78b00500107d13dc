package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/evidence"
)

// An agent whose process began anew may be so quick that no question for hits failed: so every tenth is followed by one for who
// it is. For as long as the second number says it is then looked for in the API, which is late.
const (
	lookEvery  = 10 // questions for hits
	adoptTries = 40 // likewise
)

// A resumption is what an agent's fetcher knows of its processes; nobody else looks while that runs.
type resumption struct {
	current  string // instance that answered last
	asked    int    // questions for hits that were answered
	broken   bool   // since the process was looked at, one was not
	adopting int    // times that the process is still looked for in the API
	absences []evidence.Absence
	endings  map[time.Duration]string // by the end of an absence, how the process before it ended
}

// look notices that the agent's process is another one, which goes on with what it was told. Its clock is read anew, since its
// node may have booted, and it is taken out of its CPU group as the first one was.
func (a *agent) look(ctx context.Context, err error) {
	if err != nil {
		a.broken = true
		return
	}
	if a.asked++; a.broken || a.asked%lookEvery == 0 {
		status, err := a.remote.Status(ctx)
		if err != nil {
			return
		}
		a.broken = false
		if status.Instance != cmp.Or(a.current, a.instance) && status.Order == a.instance {
			a.current, a.adopting, a.absences = status.Instance, adoptTries, status.Absences
			_ = a.readClockAgain(ctx, a.began) // if it fails now, collect asks again
		}
	}
	if a.adopting > 0 {
		a.adopting--
		a.adopt(ctx)
	}
}

// adopt treats the new process as the first one was, once the API knows it.
func (a *agent) adopt(ctx context.Context) {
	ending, err := a.again(ctx)
	if err != nil || len(a.absences) == 0 {
		return
	}
	a.adopting = 0
	if a.endings == nil {
		a.endings = map[time.Duration]string{}
	}
	a.endings[a.absences[len(a.absences)-1].Until] = ending
}

// explained are the absences with how the process before each ended, as far as that is known.
func (a *agent) explained() []evidence.Absence {
	found := slices.Clone(a.absences)
	for i := range found {
		if ending := a.endings[found[i].Until]; ending != "" {
			found[i].Why += " (" + ending + ")"
		}
	}
	return found
}

var errNotSeen = errors.New("the API does not show the new container yet")

// again treats the pod's container, which started again, as the first one was, and says how that ended.
func (p podPlace) again(ctx context.Context) (ending string, err error) {
	pod, err := p.pods.Get(ctx, p.pod, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	for _, c := range pod.Status.ContainerStatuses {
		last := c.LastTerminationState.Terminated
		if c.State.Running == nil || last == nil {
			return "", errNotSeen
		}
		ending = fmt.Sprintf("%s, exit code %d", last.Reason, last.ExitCode)
	}
	return ending, p.leaveCPUCgroup(pod)
}

// awayEvents are one for each time that an agent was away, which all its lanes then were.
func awayEvents(absences []evidence.Absence, lanes []evidence.Lane) []evidence.Event {
	type comeback struct {
		node string
		at   time.Duration
	}
	var events []evidence.Event
	number := map[comeback]int{} // of the event
	for _, away := range absences {
		node := ""
		if i := slices.IndexFunc(lanes, func(l evidence.Lane) bool { return l.ID == away.Lane }); i >= 0 {
			node = lanes[i].Node
		}
		came := comeback{node, away.Until}
		i, known := number[came]
		separator := "; "
		if !known {
			i, separator = len(events), ": "
			number[came] = i
			events = append(events, evidence.Event{At: away.Until, Clock: node, Kind: evidence.AgentAway, Object: node, Detail: away.Why})
		}
		e := &events[i]
		e.Count = max(e.Count, int((away.Until-away.Since+time.Millisecond-1)/time.Millisecond))
		e.Detail += separator + numbersOf(away)
	}
	return events
}

// numbersOf says which numbers of a lane were left out, and of how many nobody knows the outcome.
func numbersOf(away evidence.Absence) string {
	var said []string
	if away.From < away.To {
		said = append(said, fmt.Sprintf("left out %d to %d", away.From, away.To-1))
	}
	if n := len(away.Unknown); n > 0 {
		said = append(said, fmt.Sprintf("had %d in flight", n))
	}
	return away.Lane + " " + strings.Join(said, ", ")
}
