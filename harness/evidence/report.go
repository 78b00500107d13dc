package evidence

// A Report is what an Event of the API says, as far as this build can read its message.
type Report struct {
	Kind  ReportKind
	Size  int  // that a Rescales gives
	Lacks Lack // of a pod that is not scheduled, attached or created
}

// A ReportKind is what a component reports. Package harness/observe/message has the messages.
type ReportKind string

// Kinds of reports.
const (
	StopsContainer   ReportKind = "stops-container"    // the kubelet begins to stop it, for another reason than the next two
	KilledByLiveness ReportKind = "killed-by-liveness" // the kubelet restarts it since its liveness probe failed
	KilledByStartup  ReportKind = "killed-by-startup"  // the same by its startup probe
	HookFails        ReportKind = "hook-fails"         // a preStop hook failed, or was cut off at the end of the grace period
	ProbeFails       ReportKind = "probe-fails"        // a probe failed otherwise than by its timeout
	ProbeTimesOut    ReportKind = "probe-times-out"    // a probe got no answer in time
	Rescales         ReportKind = "rescales"           // an autoscaler gave a workload another size
	NodeComes        ReportKind = "node-comes"         // an autoscaler of nodes adds one for the pod

	NotScheduled ReportKind = "not-scheduled" // no node takes the pod
	NotAttached  ReportKind = "not-attached"  // its volume cannot be attached
	NotCreated   ReportKind = "not-created"   // the API server rejected the pod
	NotPulled    ReportKind = "not-pulled"    // the registry does not have its image
	Scheduled    ReportKind = "scheduled"
	Attached     ReportKind = "attached"
	Created      ReportKind = "created"
	Pulled       ReportKind = "pulled"

	// UnknownReport is a message that this build cannot read, although it reads others with its reason.
	UnknownReport ReportKind = "unknown"
)

// Stops reports whether the kubelet stops a container.
func (k ReportKind) Stops() bool {
	return k == StopsContainer || k == KilledByLiveness || k == KilledByStartup
}

// Probe reports whether a probe failed.
func (k ReportKind) Probe() bool { return k == ProbeFails || k == ProbeTimesOut }

// A Lack is what a pod waits for.
type Lack string

// Lacks of pods.
const (
	LacksPort      Lack = "port"       // of a node
	LacksOtherNode Lack = "other-node" // one without the pods that it must not run beside
	LacksVolume    Lack = "volume"     // another pod uses it
	LacksQuota     Lack = "quota"      // of the namespace
	LacksRoom      Lack = "room"       // on a node
	LacksAdmission Lack = "admission"  // a policy rejects it
	LacksClaim     Lack = "claim"      // a PersistentVolumeClaim that another controller may still bind
)
