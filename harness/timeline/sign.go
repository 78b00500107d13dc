package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// A SignKind is what in a recording of a user's app may explain that it lost requests, or that its rollout did not end.
type SignKind string

// Kinds of signs: by Events of the API, then by requests that failed.
const (
	RolledOut       SignKind = "rolled-out"        // to another version
	HookFailed      SignKind = "hook-failed"       // preStop hooks failed by themselves; kubelets do not report why
	HookCutOff      SignKind = "hook-cut-off"      // preStop hooks ran until the grace period was over
	KilledStarting  SignKind = "killed-starting"   // containers were restarted by their liveness probe before their pod was ready
	KilledByStartup SignKind = "killed-by-startup" // containers were restarted by their startup probe
	PodStuck        SignKind = "pod-stuck"         // at the end a new pod could not run, for what Text says

	NoneServing       SignKind = "none-serving"        // requests were sent while no pod could answer, which lasted For
	GatewayErrors     SignKind = "gateway-errors"      // terminating pods answered with status 502 to 504
	RefusedByEnding   SignKind = "refused-by-ending"   // terminating pods refused connections
	DroppedByEnding   SignKind = "dropped-by-ending"   // terminating pods closed new connections, which they had accepted, without a reply
	CutByServing      SignKind = "cut-by-serving"      // pods that were not terminating closed kept connections without a reply
	IdleClosed        SignKind = "idle-closed"         // the same by a timer, after the connections had been idle For
	LostBehindServing SignKind = "lost-behind-serving" // ready pods lost requests after Pod, which is not the app's, began to end
)

// A Sign is what a recording shows of a kind of signs.
type Sign struct {
	Count int // of Events or requests
	For   time.Duration
	Pod   string
	Text  string
	Lacks evidence.Lack // what the pod waits for; empty: unknown
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
	if t.Old != t.New {
		seen.add(RolledOut, 1)
	}
	t.ofEvents.countInto(seen)
	if why, stuck := t.ofEvents.stuck(t.Old, app.WorkloadName()); stuck {
		seen[PodStuck] = Sign{Count: 1, Pod: why.By.Pod, Text: why.Reason + ": " + why.Message, Lacks: why.Report.Lacks}
	}
	t.lossesInto(seen)
	return seen
}
