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

// An agent may restart between two fetches of hits, so that none fails: therefore every tenth fetch is followed by a request for its
// status. After a restart the API is asked for the new container this many times, since the API is late.
const (
	lookEvery  = 10 // fetches of hits
	adoptTries = 40 // each after a fetch
)

// A resumption is what is known of an agent's processes. Only the fetcher uses it while the fetcher runs.
type resumption struct {
	current  string // instance that answered last
	fetches  int    // of hits that were answered
	broken   bool   // a fetch failed since the last status
	adopting int    // tries left to find the new container in the API
	absences []evidence.Absence
	endings  map[time.Duration]string // how the process before an absence ended, by the end of the absence
}

// look notices that a new process of the agent has continued the load. It reads the clock again, since the node may have
// booted, and adopts the process.
func (a *agent) look(ctx context.Context, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	if err != nil {
		a.broken = true
		return
	}
	if a.fetches++; a.broken || a.fetches%lookEvery == 0 {
		status, err := a.remote.Status(ctx)
		if err != nil {
			return
		}
		a.broken = false
		if status.Instance != cmp.Or(a.current, a.instance) && status.Order == a.instance {
			a.current, a.adopting, a.absences = status.Instance, adoptTries, status.Absences
			_ = a.readClockAgain(ctx, a.request) // if it fails now, collect tries again
		}
	}
	if a.adopting > 0 {
		a.adopting--
		a.adopt(ctx)
	}
}

// adopt prepares the new process as the first one was prepared, once the API shows its container.
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

// explained returns the absences with how the process before each ended, where that is known.
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

// again prepares the restarted container like the first one, and returns how that ended.
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

// awayEvents returns one event for each time that an agent, with all its lanes, was away.
func awayEvents(absences []evidence.Absence, lanes []evidence.Lane) []evidence.Event {
	type comeback struct {
		node string
		at   time.Duration
	}
	var events []evidence.Event
	number := map[comeback]int{} // index into events
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

// numbersOf says which sequence numbers of a lane were left out, and how many requests have an unknown outcome.
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
