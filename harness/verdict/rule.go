package verdict

import (
	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

// A Rule is one thing that can be expected of a rollout.
type Rule struct {
	ID    string // kebab-case, permanent
	Claim string // one sentence in the present tense, about clients

	judge func(evidence.Expectation, timeline.Timeline) Finding
}

// Rules lists every rule, always in this order.
func Rules() []Rule {
	return []Rule{
		{noFailures, "no client loses a request", judgeNoFailures},
		{noLostReplies, "no client misses the reply to a request that a pod got", judgeNoLostReplies},
		{noHiddenRetries, "no client's request is sent twice behind its back", judgeNoHiddenRetries},
		{damageSeen, "clients in the cluster lose at least one request, which shows that a loss would be seen", judgeDamageSeen},
		{serves, "clients are answered by every version expected and by no other", judgeServes},
		{onlyServes, "from the named moment on, clients are answered by one version only", judgeOnlyServes},
		{orderedSwitch, "a client that keeps its connection never goes back from the new version", judgeOrderedSwitch},
		{fullRate, "clients send the full load asked of them", judgeFullRate},
		{maxOutage, "no client goes without good replies for longer than allowed", judgeMaxOutage},
		{maxDrainLag, "no client in the cluster is sent to a pod for longer than allowed after it left the endpoints", judgeMaxDrainLag},
		{maxRuleLag, "no node's rules lead clients to a pod for longer than allowed after it left the endpoints", judgeMaxRuleLag},
		{minAvailable, "clients always have the expected number of available pods", judgeMinAvailable},
		{maxPods, "clients are served by no more pods than allowed, terminating ones included", judgeMaxPods},
		{fact, "the cluster does what is expected", judgeFact},
		{factWithin, "the cluster takes as long as expected", judgeFactWithin},
		{scaling, "ReplicaSets are scaled in the expected order", judgeScaling},
		{maxActive, "ReplicaSets never ask for more pods than allowed", judgeMaxActive},
		{oldAtStatus, "clients may still reach old pods when the API server says that the rollout is done", judgeOldAtStatus},
		{cleanCut, "no client is answered by the old version once any is by the new one", judgeCleanCut},
		{rulesFirst, "no node's rules lead clients to a pod that was told to exit", judgeRulesBeforeSigterm},
		{maxMixed, "clients are answered by both versions for no longer than allowed", judgeMaxMixed},
		{minMixed, "clients are answered by both versions for as long as expected", judgeMinMixed},
		{between, "pods take as long as expected from one step of their end to another", judgeBetween},
		{stillServes, "clients are still answered by the named version when the load ends", judgeStillServes},
		{share, "clients are answered by the named version as often as its part of the pods", judgeShare},
		{minOutage, "every client in the cluster goes without good replies for as long as expected", judgeMinOutage},
		{oldEndsFirst, "no pod of the new version is there before the last old one has ended", judgeOldEndsFirst},
		{noted, "what the cluster does is known", judgeNoted},
	}
}
