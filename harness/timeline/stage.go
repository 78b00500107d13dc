package timeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
)

// A Stage is how far a request came that got no good reply, or a late one. The set is closed.
type Stage string

// The stages, in the order in which a request passes them.
const (
	StageUnknown       Stage = "unknown"
	StageHost          Stage = "host"           // the client's host had no port or no route left
	StageName          Stage = "name"           // the name of the server was not resolved
	StageRoute         Stage = "route"          // the network brought it to no address: no route, or its node was down
	StageTLS           Stage = "tls"            // its connection was open, and the handshake failed
	StageDoor          Stage = "door"           // what stands before the Service answered, not the app
	StageNoEndpoint    Stage = "no-endpoint"    // the node's rules had no pod for it
	StageStaleEndpoint Stage = "stale-endpoint" // the node's rules led to a pod that had left the endpoints, or to an address of no pod
	StageNotListening  Stage = "not-listening"  // it reached the pod, where nothing listened
	StageQueueFull     Stage = "queue-full"     // it reached the pod, which accepted no connection in time
	StageDropped       Stage = "dropped"        // its connection was accepted, and ended without a reply
	StageStatus        Stage = "status"         // the app answered with a bad status
	StageTimeout       Stage = "timeout"        // the app had it, and gave no whole reply in time
	StageCut           Stage = "cut"            // the reply had begun to stream, and its connection ended before it was whole
	StageContent       Stage = "content"        // the reply was not the app's
	StageBehind        Stage = "behind"         // the app answered that something it needs failed: status 502 to 504
)

// A stageRow is a stage: how it is recognized, who can mend what goes wrong there, and which changes may be the reason.
type stageRow struct {
	Stage    Stage
	Code     string // permanent, such as RC5007
	Means    string // a paragraph of Markdown: what it is, and how it is known
	Do       string // a paragraph of Markdown: what to look at
	did      string // what the requests did; {pods}, {status} and {faults} are filled in
	is       func(*lost) bool
	owner    func(*lost) Owner
	triggers []Trigger // besides the end or start of the pod that the request went to
}

// A StageText explains a stage to people.
type StageText struct {
	Stage           Stage
	Code, Means, Do string
}

// StageTexts lists the texts of all stages, in their order.
func StageTexts() (all []StageText) {
	for _, row := range stages {
		all = append(all, StageText{row.Stage, row.Code, row.Means, row.Do})
	}
	return all
}

// stageOf returns the first row that a request satisfies; the last one is of unknown stages.
func stageOf(l *lost) *stageRow {
	return &stages[slices.IndexFunc(stages, func(row stageRow) bool { return row.is(l) })]
}

func by(o Owner) func(*lost) Owner { return func(*lost) Owner { return o } }

// orOther returns the owner of what a pod of the app did; that of one of another workload is its own.
func orOther(o Owner) func(*lost) Owner { return byPod(func(*lost) bool { return true }, o, o) }

// byPod returns the first owner if a condition holds and else the second one, of what a pod of the app did.
func byPod(is func(*lost) bool, then, otherwise Owner) func(*lost) Owner {
	return func(l *lost) Owner {
		switch {
		case l.condition == ConditionOther:
			return OwnerOther
		case is(l):
			return then
		default:
			return otherwise
		}
	}
}

// ownerBehind returns the owner of what an app needs: of its manifests if its own pods ended in a bad order.
func ownerBehind(l *lost) Owner {
	switch {
	case l.condition == ConditionOther:
		return OwnerOther
	case l.condition == ConditionTerminating || l.condition == ConditionKilled:
		return OwnerManifest
	case slices.Contains([]Trigger{TriggerDNS, TriggerProxy, TriggerNode, TriggerDisruption}, l.since.Trigger):
		return OwnerCluster
	default:
		return OwnerDependency
	}
}

// ownerOfStale returns the owner of what went to a pod that had left the endpoints: of the pod's hook, of the program that was killed, or
// of rules that follow later than anywhere else while other pods are ready.
func ownerOfStale(l *lost) Owner {
	switch {
	case l.condition == ConditionKilled:
		return OwnerApp
	case l.pod != nil && l.since.pod == l.pod.Pod && l.Sent > l.since.At+staleRouting && !l.unserved && !l.listed:
		return OwnerCluster
	default:
		return OwnerManifest
	}
}

func ready(l *lost) bool { return l.condition == ConditionReady }

// leftEarly are the changes that take pods away from the Service.
var leftEarly = []Trigger{TriggerRollout, TriggerDrain, TriggerEviction, TriggerDeletion, TriggerScaleIn}

// stages has all stages. A request belongs to the first row whose condition holds. A code is never given again.
var stages = []stageRow{
	{
		Stage: StageHost, Code: "RC5001", did: "did not leave the client's host",
		Means: "the host of a client outside had no local port or no route left for the connection.",
		Do:    "look at that host: its number of open connections, its routes.",
		is:    func(l *lost) bool { return l.Fault == evidence.NoLocalPort || l.Fault == evidence.NoRoute },
		owner: by(OwnerClient),
	},
	{
		Stage: StageName, Code: "RC5002", did: "could not resolve the name",
		Means: "the name of the server was not resolved, as the client's host says.",
		Do:    "look at the name's record, and at the resolver of that host.",
		is:    func(l *lost) bool { return l.Fault == evidence.Unresolved },
		owner: by(OwnerClient), triggers: []Trigger{TriggerName, TriggerDNS},
	},
	{
		Stage: StageTLS, Code: "RC5003", did: "failed in the TLS handshake with {pods} ({faults})",
		Means: "the connection was open, and the handshake failed: the client refused the certificate, or the server the client.",
		Do: "keep the authority and the names of a certificate when it is renewed, or have clients trust both authorities before the first pod " +
			"shows the new one.",
		is:    func(l *lost) bool { return slices.Contains(evidence.TLSFaults(), l.Fault) },
		owner: orOther(OwnerManifest), triggers: []Trigger{TriggerCertificate, TriggerService},
	},
	{
		Stage: StageDoor, Code: "RC5004", did: "got {status} from what stands before the Service",
		Means: "a client outside got a status by which a proxy says that it had no pod to ask, and nothing shows that a pod gave it: an " +
			"Ingress, a gateway or a load balancer did.",
		Do:    "look at its log, at how soon it follows the endpoints, and at its own rollout.",
		is:    func(l *lost) bool { return l.outside() && l.pod == nil && l.Status >= 502 && l.Status <= 504 },
		owner: by(OwnerDoor), triggers: append(slices.Clone(leftEarly), TriggerService, TriggerOther),
	},
	{
		Stage: StageContent, Code: "RC5005", did: "got the reply of another app",
		Means: "the reply was whole, and not by the app that was requested.",
		Do:    "look at which pods the Service selects, and at what its name resolves to.",
		is:    func(l *lost) bool { return l.Fault == evidence.WrongServer },
		owner: orOther(OwnerManifest), triggers: []Trigger{TriggerService, TriggerOtherStarted, TriggerName},
	},
	{
		Stage: StageBehind, Code: "RC5006", did: "got {status} from {pods}, for something that these need",
		Means: "the app answered with the status of a proxy that got no reply itself (502, 504, and 503 of a pod with several containers).",
		Do: "look at what the app needs: another container of its pods that ended first, another workload, the name service. Its rollout, " +
			"hook and probe are not the cause, unless its pods were terminating.",
		is:       func(l *lost) bool { return l.Fault == evidence.BadStatus && l.gateway() },
		owner:    ownerBehind,
		triggers: []Trigger{TriggerOther, TriggerDNS, TriggerProxy, TriggerNode, TriggerDisruption},
	},
	{
		Stage: StageStatus, Code: "RC5007", did: "got {status} from {pods}",
		Means: "the app answered with a status that is not good.",
		Do: "look at what the app answers while it starts, ends, or lacks what it needs. If only pods that were just ready did, have the " +
			"readiness probe request what clients request.",
		is:       func(l *lost) bool { return l.Fault == evidence.BadStatus },
		owner:    byPod(func(l *lost) bool { return l.tooFew() || l.condition == ConditionNotAble && l.t.laterGood(l) }, OwnerManifest, OwnerApp),
		triggers: []Trigger{TriggerOther, TriggerDNS, TriggerNode, TriggerDisruption},
	},
	{
		Stage: StageNoEndpoint, Code: "RC5008", did: "found no pod behind the Service",
		Means: "the rules of the client's node had no pod for the connection, as its connection tracking or the endpoints show: kube-proxy " +
			"rejects it (refused), or drops it (timeout) if a traffic policy leaves no pod of its node.",
		Do: "keep one pod ready at any time: more replicas, maxUnavailable 0, a preStop hook that lasts longer than a pod takes to start. If the " +
			"Service was changed, select labels that stay the same.",
		is:    (*lost).noEndpoint,
		owner: by(OwnerManifest), triggers: append(slices.Clone(leftEarly), TriggerService, TriggerProxy, TriggerNode, TriggerDisruption),
	},
	{
		Stage: StageRoute, Code: "RC5009", did: "did not reach a pod over the network",
		Means: "packets got lost on the way: no route, rules that were not there, or a node that was down.",
		Do:    "look at the nodes, their network and kube-proxy.",
		is:    (*lost).onTheWay,
		owner: by(OwnerCluster), triggers: []Trigger{TriggerNode, TriggerDisruption, TriggerProxy, TriggerDrain},
	},
	{
		Stage: StageStaleEndpoint, Code: "RC5010", did: "went to {pods} by stale rules",
		Means: "the rules of the client's node still led to a pod that had left the endpoints and listened no more, or to an address that no pod " +
			"has: rules follow the endpoints within a second or so.",
		Do: "have the pods serve for longer than the rules take to follow: a preStop sleep. If it is an address of no pod, look at the " +
			"EndpointSlices.",
		is:    (*lost).toStaleEndpoint,
		owner: ownerOfStale, triggers: []Trigger{TriggerService, TriggerNode, TriggerDisruption},
	},
	{
		Stage: StageNotListening, Code: "RC5011", did: "reached {pods}, where nothing listened",
		Means: "the connection was refused by the pod itself, to which it was routed.",
		Do: "have a readiness probe at the port that clients use; have publishNotReadyAddresses only on a Service for peers; name ports; take the " +
			"pods of Jobs out of the Service's selector.",
		is:       func(l *lost) bool { return l.pod != nil && l.Fault == evidence.Refused },
		owner:    byPod(func(l *lost) bool { return l.condition == ConditionKilled }, OwnerApp, OwnerManifest),
		triggers: []Trigger{TriggerService, TriggerOtherStarted, TriggerDisruption},
	},
	{
		Stage: StageQueueFull, Code: "RC5012", did: "waited in vain for {pods} to accept the connection",
		Means: "the connection was routed to a pod whose node was up, and not opened in time although its first packet was sent again: the " +
			"queue of connections that the app has not accepted was full.",
		Do:    "have more pods, or let fewer be away at a time (maxSurge), or have the app accept faster.",
		is:    func(l *lost) bool { return l.pod != nil && l.Fault == evidence.Timeout && !l.opened() },
		owner: byPod(ready, OwnerApp, OwnerManifest), triggers: append(slices.Clone(leftEarly), TriggerNode, TriggerDisruption),
	},
	{
		Stage: StageDropped, Code: "RC5013", did: "got no reply from {pods}, which closed the connection",
		Means: "the connection was open, and the pod's end of it was closed or reset before the reply was whole.",
		Do: "have the app answer what it accepted before it ends, and close kept connections only after it told clients, by Connection: close, GOAWAY " +
			"or the close frame of a WebSocket. If ready pods did it at one pace all the time, it is the app's: idle timeouts, workers that are recycled.",
		is: func(l *lost) bool { return l.pod != nil && l.dropped() && !l.streamed() },
		owner: byPod(func(l *lost) bool {
			return !l.Reused && l.condition == ConditionTerminating && l.since.Trigger != TriggerNothing
		}, OwnerManifest, OwnerApp),
		triggers: []Trigger{TriggerNode, TriggerDisruption},
	},
	{
		Stage: StageTimeout, Code: "RC5014", did: "got no reply in time from {pods}",
		Means: "the connection was open, and no whole reply came in time.",
		Do:    "look at what the app waited for, and at how long clients are to wait (--timeout).",
		is:    func(l *lost) bool { return l.Fault == evidence.Timeout && (l.pod != nil || l.opened() && !l.outside()) },
		owner: byPod(func(l *lost) bool {
			return l.since.Trigger == TriggerOther || l.since.Trigger == TriggerDNS
		}, OwnerDependency, OwnerApp),
		triggers: append(slices.Clone(leftEarly), TriggerOther, TriggerDNS, TriggerNode, TriggerDisruption),
	},
	{
		Stage: StageCut, Code: "RC5015", did: "got a part of a stream from {pods}, which ended it ({faults})",
		Means: "a stream had begun, as its tokens show, and its connection was closed or reset before it was whole, or it ended without its end " +
			"mark.",
		Do: "keep a pod for as long as its longest stream takes: by its program, which awaits its streams after SIGTERM, or by a preStop sleep, " +
			"and by a longer grace period. If ready pods did it, look at the app: a timeout of its own for writing, workers that are recycled.",
		is:       func(l *lost) bool { return l.pod != nil && l.dropped() && l.streamed() },
		owner:    byPod(func(l *lost) bool { return l.condition != ConditionReady && l.condition != ConditionNotAble }, OwnerManifest, OwnerApp),
		triggers: append(slices.Clone(leftEarly), TriggerNode, TriggerDisruption),
	},
	{
		Stage: StageUnknown, Code: "RC5099", did: "failed at a stage that is not known",
		Means: "nothing that was recorded shows how far the requests came: their node reports no connections, or they came from outside.",
		Do:    "record where nodes report connections: --allow=node-rules,flows.",
		is:    func(*lost) bool { return true },
		owner: by(OwnerUnknown), triggers: append(slices.Clone(leftEarly), TriggerService, TriggerNode, TriggerDisruption, TriggerProxy),
	},
}

// Did says what the requests of the cause did, such as "found no pod behind the Service".
func (c Cause) Did() string {
	i := slices.IndexFunc(stages, func(row stageRow) bool { return row.Stage == c.Stage })
	return strings.NewReplacer("{pods}", c.pods(), "{status}", c.statuses(), "{faults}", c.faults()).Replace(stages[i].did)
}

// Code returns the permanent code of the cause's stage.
func (c Cause) Code() string {
	return stages[slices.IndexFunc(stages, func(row stageRow) bool { return row.Stage == c.Stage })].Code
}

// pods describes the pods that the requests went to: the only one by its name.
func (c Cause) pods() string {
	said := conditionWords[c.Condition]
	if len(c.Pods) == 1 {
		return strings.Replace(said, "pods", "pod "+c.Pods[0], 1)
	}
	return said
}

// statuses lists the statuses of the replies, with counts if there are several.
func (c Cause) statuses() string {
	counts := map[string]int{}
	for _, h := range c.Hits {
		counts["status "+evidence.StatusName(h.Status)]++
	}
	return listed(counts)
}

func (c Cause) faults() string {
	counts := map[string]int{}
	for _, h := range c.Hits {
		counts[string(h.Fault)]++
	}
	return listed(counts)
}

// listed lists names, with counts if there are several.
func listed(counts map[string]int) string {
	names := slices.Sorted(maps.Keys(counts))
	if len(names) > 1 {
		for i, name := range names {
			names[i] = fmt.Sprintf("%s (%d)", name, counts[name])
		}
	}
	return strings.Join(names, ", ")
}
