package verdict

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// A Reason says why a part of the recording cannot be trusted.
type Reason struct {
	ID      string         `json:"id"`      // of a [ReasonKind]
	Brief   string         `json:"brief"`   // short, for a headline
	Because string         `json:"because"` // one sentence
	Scope   evidence.Scope `json:"scope"`
	Rules   []string       `json:"rules,omitzero"` // ids of the expected rules whose outcome it makes unknown
	// Excused lists the waits for a processor that explain the reason, if any, and Retry says what another recording needs to avoid it.
	Excused []timeline.Wait `json:"excused,omitzero"`
	Retry   Retry           `json:"retry,omitzero"`
	Base    LossCount       `json:"base,omitzero"` // if the reason is that requests fail without a rollout, too: how many
}

// late reports whether the reason is only that a client was late.
func (r Reason) late() bool { return r.ID == reasonLateLane || r.ID == reasonStalledLane }

// decides reports whether a scenario cannot pass with the reason: it makes the outcome of a rule unknown, or everything.
func (r Reason) decides() bool { return len(r.Rules) > 0 || r.ofEverything() }

// ofEverything reports whether no scenario can pass with the reason, whatever its rules use: the recording is not whole.
func (r Reason) ofEverything() bool {
	return r.Scope.Everything() || r.ID == reasonDamagedFile || r.ID == reasonContradiction
}

// A ReasonKind is a kind of reason.
type ReasonKind struct {
	ID         string // kebab-case, permanent
	When       string // what was seen
	NotDecided string // what is then unknown
}

// Reasons lists every kind; the ones that make most unknown come first.
func Reasons() []ReasonKind {
	const everything, failures = "everything that was not seen", "whatever rests on failures or latencies"
	const notExplained = "everything about failures, unless more failed since than these explain"
	return []ReasonKind{
		{evidence.StageFailed, "deploying, starting the load or another stage failed, or Ctrl-C came", everything},
		{evidence.NeverSettled, "the rollout did not end in 5 min, or cannot end, or a deadline or Ctrl-C ended what was done", everything},
		{evidence.StrayEndpoint, "a pod that is not part of the rollout was behind the Service, so the end was not awaited", everything},
		{reasonNoLanes, "a scenario under load has no lanes", everything},
		{evidence.UncleanCluster, "pods of another run were in the cluster", "everything"},
		{evidence.ProxyMissing, "a node without a kube-proxy was expected to have one", "everything"},
		{reasonDamagedFile, "a file is damaged or cut off", "what the file records: clients' requests, arrivals, or all but the requests"},
		{reasonContradiction, "records contradict each other, or have holes", "what the lane's records show; if no lane is named, everything"},
		{reasonMissingMark, "a mark that bounds the load or the rollout never came", "what is counted from or to it"},
		{reasonWatchBlind, "a watch of the API broke, or the API server hung", "what the API showed, and when marks came that follow from it"},
		{evidence.ObserverLost, "the observer of a node's rules stopped", "the rules of that node, and so when the barrier was"},
		{reasonPodLogLost, "a pod's log was not read to its end", "arrivals and pods' own steps"},
		{reasonNodeUnready, "a node was not ready under load", failures + ", on the API, on pods' own steps or on that node's rules"},
		{reasonFullConntrack, "a node's connection table was over 90 % full", failures},
		{reasonEarlyFailures, "requests failed before any change", notExplained},
		{reasonControlFailures, "requests failed on a control lane", notExplained},
		{evidence.ProxyUnused, "this host has a proxy for a URL, which the load does not use", "rules that look at the lanes to that URL"},
		{reasonHostFault, "requests failed in the host of their client: no address of a name, no local port, no route",
			"rules that look at that lane"},
		{reasonAnsweredElsewhere, "good replies came from something else than a pod of the app: a cache, a door's own page, another app",
			"rules that look at that lane"},
		{evidence.AgentLost, "a load agent died, was away for a while, or its hits could not be fetched", "rules that look at its lanes"},
		{reasonEmptyLane, "a lane has no hits", "rules that look at that lane"},
		{reasonUnderRate, "a lane sent less than 99 % of the rate asked", "rules that look at that lane"},
		{reasonSilentAgent, "an agent began late, fell silent or sent nothing", "rules that look at its lane"},
		{reasonLateLane, "1 % of a lane's requests were sent late", "rules that look at that lane, and how late its node's rules were"},
		{reasonStalledLane, "a request of a lane was sent very late", "rules that look at that lane, and how late its node's rules were"},
	}
}

// IDs of the reasons that are found in a recording.
const (
	reasonNoLanes         = "no-lanes"
	reasonDamagedFile     = "damaged-file"
	reasonContradiction   = "contradiction"
	reasonMissingMark     = "missing-mark"
	reasonWatchBlind      = "watch-blind"
	reasonPodLogLost      = "pod-log-lost"
	reasonNodeUnready     = "node-unready"
	reasonFullConntrack   = "full-conntrack"
	reasonEarlyFailures   = "early-failures"
	reasonControlFailures = "control-failures"
	reasonHostFault       = "host-fault"

	reasonAnsweredElsewhere = "answered-elsewhere"
	reasonEmptyLane         = "empty-lane"
	reasonUnderRate         = "under-rate"
	reasonSilentAgent       = "silent-agent"
	reasonLateLane          = "late-lane"
	reasonStalledLane       = "stalled-lane"
)

// recorded returns the reasons that the recorder noted.
func recorded(run evidence.Run) (reasons []Reason) {
	for _, r := range run.Reasons {
		reasons = append(reasons, Reason{ID: r.ID, Brief: r.Because, Because: r.Because, Scope: r.Scope})
	}
	return reasons
}
