package timeline

import (
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
)

// A SignKind is what in a recording of a user's app may matter to its owner, beside the causes of lost requests.
type SignKind string

// Kinds of signs: by Events of the API, then by requests that failed.
const (
	HookFailed      SignKind = "hook-failed"       // preStop hooks failed by themselves; kubelets do not report why
	HookCutOff      SignKind = "hook-cut-off"      // preStop hooks ran until the grace period was over
	KilledStarting  SignKind = "killed-starting"   // containers were restarted by their liveness probe before their pod was ready
	KilledByStartup SignKind = "killed-by-startup" // containers were restarted by their startup probe
	PodStuck        SignKind = "pod-stuck"         // at the end a new pod could not run, for what Text says

	KilledAtGrace SignKind = "killed-at-grace" // containers Text of pods were killed at the end of the grace period, For after the deletion
	OutOfMemory   SignKind = "out-of-memory"   // container Text of Pod was killed for its memory
	SlowestStart  SignKind = "slowest-start"   // a pod that was made under load took For until it was ready
	ColdStart     SignKind = "cold-start"      // only new pods were slow, Within a time after they were ready: a reply took up to For
	TakenBack     SignKind = "taken-back"      // Count pods of another version got ready and ended again, and the app kept the version that it had
	OneReady      SignKind = "one-ready"       // of Count pods, no more than one was ready at a time before the rollout

	OnlyTerminating SignKind = "only-terminating" // terminating pods were the only ones that could answer, For at a time
	NoneServing     SignKind = "none-serving"     // no pod could answer under load, which lasted For
	NeverTold       SignKind = "never-told"       // pods that ended told no client to go, of Count connections over protocol Text
	IdleClosed      SignKind = "idle-closed"      // ready pods closed kept connections by a timer, after these had been idle For
)

// A Sign is what a recording shows of a kind of signs.
type Sign struct {
	Count  int // of Events, requests or pods
	For    time.Duration
	Within time.Duration // after a pod was ready
	Pod    string
	Text   string
	Lacks  evidence.Lack // what the pod waits for; empty: unknown
}

// Signs has the signs of a recording. A kind that was not seen has the zero Sign.
type Signs map[SignKind]Sign

// Signs returns the signs of a user's app; none of Rollcall's own.
func (t Timeline) Signs() Signs { return t.signs }

// UnreadMessages counts the Events of the API with a message that this build cannot read, although it reads others with their reason.
func (t Timeline) UnreadMessages() int { return t.unread }

func (s Signs) add(kind SignKind, n int) {
	if n > 0 {
		seen := s[kind]
		seen.Count += n
		s[kind] = seen
	}
}

// findSigns returns the signs, from the tables and the failed requests of the lanes through the Service.
func (t Timeline) findSigns(app evidence.UserApp) Signs {
	seen := Signs{}
	t.ofEvents.countInto(seen)
	if why, stuck := t.ofEvents.stuck(t.Old, app.WorkloadName()); stuck {
		seen[PodStuck] = Sign{Count: 1, Pod: why.By.Pod, Text: why.Reason + ": " + why.Message, Lacks: why.Report.Lacks}
	}
	t.podsInto(seen)
	t.coldInto(seen)
	t.versionsInto(seen)
	t.lossesInto(seen)
	t.untoldInto(seen)
	return seen
}

// podsInto adds the signs that the starts and ends of pods show.
func (t Timeline) podsInto(seen Signs) {
	loaded, _ := t.Mark(evidence.LoadBegun)
	for i := range t.Pods {
		p := &t.Pods[i]
		created, _ := p.first(evidence.PodCreated, nil)
		if ready, is := p.first(evidence.PodReady, nil); is && created.At > loaded {
			seen.longest(SlowestStart, Sign{Count: 1, For: ready.At - created.At, Pod: p.Pod})
		}
		for _, e := range p.All(evidence.ContainerEnded) {
			switch {
			case e.Detail == evidence.OOMKilled:
				seen.longest(OutOfMemory, Sign{Count: 1, Pod: p.Pod, Text: e.Object})
			case Killed(e) && e.For > 0 && e.For >= t.grace-time.Second: // the API has whole seconds
				seen.longest(KilledAtGrace, Sign{Count: 1, For: e.For, Pod: p.Pod, Text: e.Object})
			}
		}
	}
}

// versionsInto adds the signs that versions and how many pods were ready show.
func (t Timeline) versionsInto(seen Signs) {
	came, stay := 0, false
	for i := range t.Pods {
		p := &t.Pods[i]
		if _, ready := p.first(evidence.PodReady, nil); !ready || p.Version == "" || p.Version == t.Old || t.ofOther(p) {
			continue
		}
		came++
		stay = stay || p.at(never).Phase < PodDeleting
	}
	if came > 0 && !stay {
		seen.add(TakenBack, came)
	}
	loaded, _ := t.Mark(evidence.LoadBegun)
	most, fewest, total := 0, 0, 0
	for i, c := range t.Capacities(loaded, t.begun()) {
		if most, total = max(most, c.Available), max(total, c.Total); i == 0 || c.Available < fewest {
			fewest = c.Available
		}
	}
	if most == 1 && fewest == 1 && total > 1 {
		seen.add(OneReady, total)
	}
}

// longest counts a sign, and keeps the longest of its kind.
func (s Signs) longest(kind SignKind, sign Sign) {
	was := s[kind]
	if sign.Count += was.Count; was.For > sign.For {
		was.Count = sign.Count
		sign = was
	}
	s[kind] = sign
}

// eventSigns is what the pass over the events collects for signs.
type eventSigns struct {
	versions map[string]string           // of the app's pods and ReplicaSets, by name: Events about others are recorded too
	deleted  map[string]time.Duration    // pod of the app -> when its last deletion was seen
	ready    map[string]bool             // pods that got ready since they were created
	counts   map[SignKind]map[string]int // by pod
	lacks    map[string]evidence.Event   // object, such as Pod/a -> the Event by which a pod could not run
	over     map[string]bool             // objects that need nothing more
}

func newEventSigns() eventSigns {
	return eventSigns{versions: map[string]string{}, deleted: map[string]time.Duration{}, ready: map[string]bool{},
		counts: map[SignKind]map[string]int{}, lacks: map[string]evidence.Event{}, over: map[string]bool{}}
}

// hookFailsWithin is the longest time from a pod's deletion to the Event about a hook that fails by itself; a hook that fails because the
// app ends has run for longer. Our own choice: a kubelet begins within a second, and writes Events on the side.
const hookFailsWithin = 3 * time.Second

// reportSigns has the signs that an Event of the API about a pod shows, by what it reports. grace is the app's.
var reportSigns = map[evidence.ReportKind]func(s eventSigns, e evidence.Event, grace time.Duration) SignKind{
	message.KilledByStartup: func(eventSigns, evidence.Event, time.Duration) SignKind { return KilledByStartup },
	message.KilledByLiveness: func(s eventSigns, e evidence.Event, _ time.Duration) SignKind {
		if s.ready[e.By.Pod] {
			return ""
		}
		return KilledStarting
	},
	message.HookFails: func(s eventSigns, e evidence.Event, grace time.Duration) SignKind {
		deleted, seen := s.deleted[e.By.Pod]
		switch {
		case seen && e.At-deleted >= grace:
			return HookCutOff
		case seen && e.At-deleted < hookFailsWithin:
			return HookFailed
		}
		return ""
	},
}

// note enters an event into the signs.
func (s eventSigns) note(e evidence.Event, grace time.Duration) {
	pod := "Pod/" + e.By.Pod
	switch e.Kind {
	case evidence.RolloutBegun: // what stood in the way of pods before is not about the rollout
		clear(s.lacks)
		clear(s.over)
	case evidence.PodCreated: // again, perhaps: a StatefulSet gives the same name
		s.versions[e.By.Pod], s.ready[e.By.Pod], s.over[pod] = e.By.Version, false, false
	case evidence.PodReady:
		s.ready[e.By.Pod], s.over[pod] = true, true
	case evidence.PodDeleting:
		s.deleted[e.By.Pod], s.over[pod] = e.At, true
	case evidence.PodGone:
		s.over[pod] = true
	case evidence.ReplicaSetScaled: // it may have no pod yet
		if s.versions[e.Object] = e.Detail; e.Count == 0 {
			delete(s.lacks, "ReplicaSet/"+e.Object)
		}
	case evidence.Reported:
		s.noteReport(e, grace)
	default:
	}
}

func (s eventSigns) noteReport(e evidence.Event, grace time.Duration) {
	switch e.Report.Kind {
	case message.NotScheduled, message.NotAttached, message.NotCreated, message.NotPulled:
		s.lacks[e.Object] = e
	case message.Scheduled, message.Attached, message.Created, message.Pulled:
		delete(s.lacks, e.Object)
	default:
	}
	sign := reportSigns[e.Report.Kind]
	if sign == nil {
		return
	}
	if kind := sign(s, e, grace); kind != "" {
		if s.counts[kind] == nil {
			s.counts[kind] = map[string]int{}
		}
		s.counts[kind][e.By.Pod]++
	}
}

// countInto adds the counted signs of the app's pods.
func (s eventSigns) countInto(seen Signs) {
	for kind, byPod := range s.counts {
		for pod, n := range byPod {
			if _, deleted := s.deleted[pod]; deleted || s.versions[pod] != "" {
				seen.add(kind, n)
			}
		}
	}
}

// stuck returns the last Event by which, at the end, a pod could not be created, scheduled or given its volume or image. The
// Event is about a pod of another version than the old one, its ReplicaSet, or the workload. A later Event that the same was
// done after all ends it, and so does a pod that is ready or no longer wanted. A pod of the old version that finds no node,
// as in a drain, has nothing to do with the rollout.
func (s eventSigns) stuck(old, workload string) (why evidence.Event, is bool) {
	for _, object := range slices.Sorted(maps.Keys(s.lacks)) {
		_, name, _ := strings.Cut(object, "/")
		version := s.versions[name]
		if ofRollout := object == workload || version != "" && version != old; ofRollout && !s.over[object] {
			return s.lacks[object], true
		}
	}
	return evidence.Event{}, false
}
