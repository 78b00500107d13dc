package standstill

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/verdict/phrase"
)

// A Kind is a kind of obstacles.
type Kind string

// Kinds of obstacles.
const (
	Kept       Kind = "kept"        // the pod's containers have ended, and a finalizer keeps it
	Missing    Kind = "missing"     // what the pod names does not exist: a Secret, a ConfigMap, a key of one, or a claim
	NoImage    Kind = "no-image"    // its image does not exist
	NotPulled  Kind = "not-pulled"  // its image cannot be pulled
	SlowStart  Kind = "slow-start"  // a probe has the container restarted before it is ready
	Exited     Kind = "exited"      // the container exited
	NotMade    Kind = "not-made"    // the container cannot be created or started
	NoNode     Kind = "no-node"     // it may run on no node: see Lacks
	NoRoom     Kind = "no-room"     // no node has what it asks for: see Lacks
	NoVolume   Kind = "no-volume"   // another pod has its volume
	ProbeFails Kind = "probe-fails" // the container runs, and its probe fails
	Starting   Kind = "starting"    // nothing is known to be wrong
	Refused    Kind = "refused"     // the API server does not take the pod
)

// An Obstacle is what a pod waits for, or a workload for its pods.
type Obstacle struct {
	Kind      Kind           // empty: none is known
	Pod       string         // its name; empty: there is none yet
	Container string         // its name; empty: it is about the whole pod
	Times     int            // how often it was met, where that is counted: exits and restarts of the container
	ExitCode  int32          // of the last exit
	Reason    string         // of the container's state, the condition or the Event, such as OOMKilled
	Message   string         // of the same in one line, without secrets in URLs; may be empty
	Lacks     evidence.Lack  // what nodes do not have
	Absent    message.Absent // what does not exist
	Runs      bool           // the container runs
	Overdue   string         // a deadline that is over, in words; empty: none
	ForGood   bool           // waiting does not take it away

	waits bool // the container waits: the log is that of its previous run
}

// String returns a main clause that names the pod, the container and what is the matter. Only the message is ever cut.
func (o Obstacle) String() string {
	said := o.Overdue
	for _, r := range rows {
		if r.kind != o.Kind {
			continue
		}
		if said != "" {
			said += ": "
		}
		return said + r.say(o)
	}
	return said
}

// mostMessage is how many characters of a message are said: those of runtimes and schedulers say what is wrong within as many.
const mostMessage = 200

// saying appends the message to a sentence.
func (o Obstacle) saying(sentence string) string {
	if o.Message == "" {
		return sentence
	}
	return sentence + ": " + phrase.Cut(o.Message, mostMessage)
}

// printable returns what a component of Kubernetes wrote, in one line and without secrets in URLs.
func printable(text string) string { return phrase.Printable(secret.URLs(text)) }

func sayKept(o Obstacle) string {
	return o.saying(fmt.Sprintf("pod %s has ended and stays, since nobody takes its finalizer away", o.Pod))
}

func sayWaits(o Obstacle) string {
	return o.saying(fmt.Sprintf("pod %s: container %s is waiting: %s", o.Pod, o.Container, o.Reason))
}

func sayNoNode(o Obstacle) string { return o.saying("no node takes pod " + o.Pod) }

func sayNoVolume(o Obstacle) string { return o.saying(fmt.Sprintf("pod %s gets no volume", o.Pod)) }

func sayMissing(o Obstacle) string {
	switch {
	case o.Container != "":
		return sayWaits(o)
	case o.Reason == corev1.PodReasonUnschedulable:
		return sayNoNode(o)
	default:
		return sayNoVolume(o)
	}
}

func saySlowStart(o Obstacle) string {
	said := fmt.Sprintf("pod %s does not get ready: %s", o.Pod, o.Message)
	if o.Times > 1 {
		said += fmt.Sprintf(" (%d times)", o.Times)
	}
	return said
}

// lastSignal is the highest number of a signal on Linux (signal(7)). A process that a signal ended exits, as runtimes and shells tell it,
// with 128 more.
const lastSignal = 64

func sayExited(o Obstacle) string {
	var more []string
	switch signal := o.ExitCode - 128; {
	case o.Reason != "" && o.Reason != "Error":
		more = append(more, o.Reason)
	case signal > 0 && signal <= lastSignal:
		more = append(more, fmt.Sprintf("signal %d", signal))
	}
	if o.Times > 1 {
		more = append(more, fmt.Sprintf("%d times", o.Times))
	}
	said := fmt.Sprintf("pod %s: container %s exited with code %d", o.Pod, o.Container, o.ExitCode)
	if len(more) > 0 {
		said += " (" + strings.Join(more, ", ") + ")"
	}
	switch {
	case o.Runs:
		said += ", and runs again"
	case !o.ForGood:
		said += ", restarts in a moment"
	}
	return o.saying(said)
}

func sayProbeFails(o Obstacle) string {
	return o.saying(fmt.Sprintf("pod %s: container %s is not ready", o.Pod, o.Container))
}

func sayStarting(o Obstacle) string {
	switch {
	case o.Container == "":
		return o.saying(fmt.Sprintf("pod %s is not ready", o.Pod))
	case o.Runs:
		return o.saying(fmt.Sprintf("pod %s: container %s is running, and not ready", o.Pod, o.Container))
	default:
		return sayWaits(o)
	}
}

func sayRefused(o Obstacle) string { return o.saying(o.Reason) }
