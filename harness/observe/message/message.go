// Package message reads the messages that components of Kubernetes write into Events, conditions and statuses. They are
// meant for people, and change between versions: each stands beside the file and the version that writes it. Nothing else of
// Rollcall looks into a message.
package message

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
)

// Kinds of reports.
const (
	StopsContainer   evidence.ReportKind = "stops-container"    // the kubelet begins to stop it, for another reason than the next two
	KilledByLiveness evidence.ReportKind = "killed-by-liveness" // the kubelet restarts it since its liveness probe failed
	KilledByStartup  evidence.ReportKind = "killed-by-startup"  // the same by its startup probe
	HookFails        evidence.ReportKind = "hook-fails"         // a preStop hook failed, or was cut off at the end of the grace period
	ProbeFails       evidence.ReportKind = "probe-fails"        // a probe failed otherwise than by its timeout
	ProbeTimesOut    evidence.ReportKind = "probe-times-out"    // a probe got no answer in time
	Rescales         evidence.ReportKind = "rescales"           // an autoscaler gave a workload another size
	NodeComes        evidence.ReportKind = "node-comes"         // an autoscaler of nodes adds one for the pod
	NoNodeComes      evidence.ReportKind = "no-node-comes"      // it adds none, since none would help or it has as many as it may have

	NotScheduled evidence.ReportKind = "not-scheduled" // no node takes the pod
	NotAttached  evidence.ReportKind = "not-attached"  // its volume cannot be attached
	NotMounted   evidence.ReportKind = "not-mounted"   // its volume cannot be mounted
	NotCreated   evidence.ReportKind = "not-created"   // the API server rejected the pod
	NotPulled    evidence.ReportKind = "not-pulled"    // the registry does not have its image
	Scheduled    evidence.ReportKind = "scheduled"
	Attached     evidence.ReportKind = "attached"
	Created      evidence.ReportKind = "created"
	Pulled       evidence.ReportKind = "pulled"

	// UnknownReport is a message that this build cannot read, although it reads others with its reason.
	UnknownReport evidence.ReportKind = "unknown"
)

// Stops reports whether the kubelet stops a container.
func Stops(k evidence.ReportKind) bool {
	return k == StopsContainer || k == KilledByLiveness || k == KilledByStartup
}

// ProbeFailed reports whether a probe failed, in time or not.
func ProbeFailed(k evidence.ReportKind) bool { return k == ProbeFails || k == ProbeTimesOut }

// A form is one message of a component. Of two that fit, the earlier counts.
type form struct {
	reason string // of the Event
	kind   evidence.ReportKind
	fits   func(message string) bool // nil: the reason is enough
}

// forms has the messages that are read. Paths are Kubernetes v1.37's unless they name a project.
var forms = []form{
	// pkg/kubelet/kuberuntime/kuberuntime_manager.go, doBackOff and computePodActions
	{"Killing", KilledByLiveness, ends(" failed liveness probe, will be restarted")},
	{"Killing", KilledByStartup, ends(" failed startup probe, will be restarted")},
	{"Killing", StopsContainer, nil},
	{"FailedPreStopHook", HookFails, nil}, // pkg/kubelet/events/event.go, without the cause
	// pkg/kubelet/prober/prober.go, with the error of the probe: over HTTP and gRPC, over TCP, by a command
	{"Unhealthy", ProbeTimesOut, has("context deadline exceeded", "Client.Timeout exceeded", "i/o timeout", "timed out")},
	{"Unhealthy", ProbeFails, nil},
	{"SuccessfulRescale", Rescales, begins("New size: ")}, // pkg/controller/podautoscaler/horizontal.go, reconcileAutoscaler

	{"FailedScheduling", NotScheduled, nil},  // pkg/scheduler/schedule_one.go
	{"Scheduled", Scheduled, nil},            // the same file
	{"FailedAttachVolume", NotAttached, nil}, // pkg/controller/volume/events/event.go
	{"SuccessfulAttachVolume", Attached, nil},
	{"FailedMount", NotMounted, nil},  // pkg/kubelet/events/event.go
	{"FailedCreate", NotCreated, nil}, // pkg/controller/controller_utils.go
	{"SuccessfulCreate", Created, nil},
	// pkg/kubelet/images/image_manager.go: it ends with the cause. The reason has other messages, which are not about images.
	{"Failed", NotPulled, func(m string) bool { return strings.Contains(m, "Failed to pull image") && neverFound(m) }},
	{"Failed", "", nil},
	{"Pulled", Pulled, nil},

	{"TriggeredScaleUp", NodeComes, nil},    // cluster-autoscaler
	{"NotTriggerScaleUp", NoNodeComes, nil}, // the same
	{"Nominated", NodeComes, nil},           // Karpenter
}

// Lacks of pods.
const (
	LacksPort      evidence.Lack = "port"       // of a node
	LacksOtherNode evidence.Lack = "other-node" // one without the pods that it must not run beside
	LacksVolume    evidence.Lack = "volume"     // another pod uses it
	LacksQuota     evidence.Lack = "quota"      // of the namespace
	LacksRoom      evidence.Lack = "room"       // on a node
	LacksAdmission evidence.Lack = "admission"  // a policy rejects it
	LacksClaim     evidence.Lack = "claim"      // a PersistentVolumeClaim that another controller may still bind
	LacksLabels    evidence.Lack = "labels"     // of a node, which it selects
	LacksUntainted evidence.Lack = "untainted"  // a node without taints that it does not tolerate
)

// lacks has what a pod waits for, by words of the Event about it. Of several that a scheduler names, for different nodes, the earlier
// counts: control planes are tainted on most clusters.
var lacks = []struct {
	words string
	lack  evidence.Lack
}{
	{"didn't have free ports", LacksPort},   // pkg/scheduler/framework/plugins/nodeports
	{"anti-affinity rules", LacksOtherNode}, // pkg/scheduler/framework/plugins/interpodaffinity
	{"ReadWriteOncePod", LacksVolume},       // pkg/scheduler/framework/plugins/volumerestrictions
	{"Volume is already", LacksVolume},      // pkg/controller/volume/attachdetach/reconciler/reconciler.go
	{"exceeded quota", LacksQuota},          // apiserver, pkg/admission/plugin/resourcequota/controller.go
	{"Insufficient ", LacksRoom},            // pkg/scheduler/framework/plugins/noderesources
	{unboundClaims, LacksClaim},             // pkg/scheduler/framework/plugins/volumebinding
	{"is forbidden: ", LacksAdmission},      // apimachinery, pkg/api/errors, NewForbidden

	{"didn't match Pod's node affinity/selector", LacksLabels}, // pkg/scheduler/framework/plugins/nodeaffinity
	{"had untolerated taint", LacksUntainted},                  // pkg/scheduler/framework/plugins/tainttoleration
}

const unboundClaims = "unbound immediate PersistentVolumeClaims"

// Of returns what an Event about an object of a kind says. The zero Report is an Event with a reason that is not read.
func Of(kind, reason, message string) evidence.Report {
	known := false
	for _, f := range forms {
		if known = known || f.reason == reason; f.reason != reason || f.fits != nil && !f.fits(message) {
			continue
		}
		r := evidence.Report{Kind: f.kind}
		switch r.Kind {
		case NotScheduled:
			r.Lacks = lackIn(WithoutPreemption(message))
		case NotAttached, NotCreated:
			r.Lacks = lackIn(message)
		case Rescales:
			if _, err := fmt.Sscanf(message, "New size: %d;", &r.Size); err != nil {
				return evidence.Report{Kind: UnknownReport}
			}
			if kind != "HorizontalPodAutoscaler" {
				return evidence.Report{}
			}
		default:
		}
		return r
	}
	if known {
		return evidence.Report{Kind: UnknownReport}
	}
	return evidence.Report{}
}

func lackIn(message string) evidence.Lack {
	for _, l := range lacks {
		if strings.Contains(message, l.words) {
			return l.lack
		}
	}
	return ""
}

// ToMinimum reports whether an autoscaler set a size since there were fewer pods than its minimum
// (pkg/controller/podautoscaler/horizontal.go, reconcileAutoscaler).
func ToMinimum(message string) bool { return strings.Contains(message, "below Spec.MinReplicas") }

// ByMetric reports whether an autoscaler set a size by a metric (the same file).
func ByMetric(message, metric string) bool { return strings.Contains(message, metric) }

// WithoutPreemption returns the message of a pod that no node takes, without what preemption would do, which comes after it.
func WithoutPreemption(message string) string {
	why, _, _ := strings.Cut(message, ". ")
	return strings.TrimSuffix(why, ".")
}

// ClaimMayBind reports whether a pod that no node takes waits for a claim that another controller may still bind.
func ClaimMayBind(message string) bool { return strings.Contains(message, unboundClaims) }

// An Absent is an object that a pod names and that does not exist, or lacks a key.
type Absent struct {
	Kind, Name string // such as Secret and web-tls; no name: the message does not have it
	Key        string // of the object, which exists; empty: the object does not
}

// absents has the messages about such objects, with the kind, the key and the name as named groups.
var absents = []*regexp.Regexp{
	// apimachinery, pkg/api/errors, NewNotFound: kubelets write it of Secrets and ConfigMaps, schedulers of claims
	regexp.MustCompile(`(?P<kind>secret|configmap|persistentvolumeclaim)s? "(?P<name>[^"]+)" not found`),
	// pkg/kubelet/kubelet_pods.go, makeEnvironmentVariables
	regexp.MustCompile(`couldn't find key (?P<key>\S+) in (?P<kind>Secret|ConfigMap) [^/\s]*/(?P<name>\S+)`),
	regexp.MustCompile(`references non-existent (?P<kind>secret) key: (?P<key>\S+)`),           // pkg/volume/secret/secret.go
	regexp.MustCompile(`(?P<kind>configmap) references non-existent config key: (?P<key>\S+)`), // pkg/volume/configmap/configmap.go
}

// absentKinds has the kinds as manifests write them, by the lower-case words of messages.
var absentKinds = map[string]string{"secret": "Secret", "configmap": "ConfigMap", "persistentvolumeclaim": "PersistentVolumeClaim"}

// AbsentIn returns what a message says does not exist: of a container that waits, of a volume that cannot be mounted, or of a pod that no
// node takes. known is false if it says so of nothing.
func AbsentIn(message string) (absent Absent, known bool) {
	for _, form := range absents {
		found := form.FindStringSubmatch(message)
		if found == nil {
			continue
		}
		group := func(name string) string {
			if i := form.SubexpIndex(name); i >= 0 {
				return found[i]
			}
			return ""
		}
		return Absent{absentKinds[strings.ToLower(group("kind"))], group("name"), group("key")}, true
	}
	return Absent{}, false
}

// VolumeUsers returns the pods that use the volume of another one, by the Event that it cannot be attached to that.
func VolumeUsers(message string) []string {
	_, users, _ := strings.Cut(message, "Volume is already used by pod(s) ")
	return strings.FieldsFunc(users, func(r rune) bool { return r == ',' || r == ' ' })
}

// NeverPulled reports whether a container waits for an image that does not exist. A registry that does not answer may do so later.
func NeverPulled(reason, message string) bool {
	switch reason {
	case "InvalidImageName", "ErrImageNeverPull": // pkg/kubelet/images/types.go
		return true
	case "ErrImagePull", "ImagePullBackOff": // with the message of the runtime, which ends with the cause
		return neverFound(message)
	}
	return false
}

func neverFound(message string) bool { return strings.HasSuffix(message, ": not found") }

func ends(with string) func(string) bool {
	return func(message string) bool { return strings.HasSuffix(message, with) }
}

func begins(with string) func(string) bool {
	return func(message string) bool { return strings.HasPrefix(message, with) }
}

func has(any ...string) func(string) bool {
	return func(message string) bool {
		return slices.ContainsFunc(any, func(words string) bool { return strings.Contains(message, words) })
	}
}
