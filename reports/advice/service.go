package advice

import (
	"fmt"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

var othersBehind = advice{
	code: verdict.Code{
		Code: "RC3021", ID: "others-behind",
		Causes: "the Service's selector also matches pods of another workload, such as a Job for a migration: they are ready, and nobody listens.",
		Do:     "give those pods other labels, or the Service a selector that only the app's pods have.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool { return c.Condition == timeline.ConditionOther },
	says: func(a *advisedApp) (sign, remedy string) {
		return fmt.Sprintf("the Service's selector also matches %s, which lost %s", a.mended[0].Since.What, phrase.Count(a.lost(), "request")),
			"give those pods other labels, or the Service a selector that only the app's pods have"
	},
	sign: &sign{
		certain: true, on: model.OnService, says: selectsOthers, asks: selectsPeers,
		do:    "give those pods other labels, or the Service a selector that only the app's pods have",
		tells: "roll it out: are they meant to be behind it, and do they answer as the app's do?",
		shown: "case h4-try", twin: "case f1",
	},
}

var selectsNone = advice{
	code: verdict.Code{
		Code: "RC3040", ID: "selects-none",
		Causes: "the Service's selector matches no pods of the manifests, though these have workloads in its namespace: a misspelt label, or one that " +
			"a controller or the app sets at run time, or pods that come from elsewhere.",
		Do: "compare the selector with the labels of the pod templates; without a pod, clients are refused.",
	},
	sign: &sign{
		on: model.OnService, says: matchesNothing,
		do: "look at a cluster that has it: does it have endpoints?",
	},
}

func matchesNothing(r evidence.Reading) (says, field string) {
	if r.Unmatched == "" {
		return "", ""
	}
	return fmt.Sprintf("its selector %s matches no pods of the manifests: clients are refused, unless other pods have it", r.Unmatched), "spec.selector"
}

var noneOnNode = advice{
	code: verdict.Code{
		Code: "RC3022", ID: "none-on-node",
		Causes: "the Service's traffic policy is Local, and no pod was left on the node of the client, or only one that was ending, to which the node " +
			"goes on sending then (KEP-1669): pods on other nodes do not count.",
		Do: "use the policy Cluster, or keep a pod on every node: a DaemonSet with maxSurge, or topologySpreadConstraints and maxUnavailable 0.",
	},
	mends: func(a *advisedApp, c timeline.Cause) bool {
		return a.own.NodeLocal && (c.Stage == timeline.StageNoEndpoint || unrouted(c) && a.own.Kind() == "DaemonSet")
	},
	says: func(a *advisedApp) (sign, remedy string) {
		return fmt.Sprintf("%s found no other pod on their own node, which the traffic policy Local asks for", phrase.Count(a.lost(), "request")),
			"use the policy Cluster, or keep a pod on every node while pods are replaced"
	},
	sign: &sign{
		certain: true, on: model.OnService, says: emptiesNodes,
		do: "use the policy Cluster, or give the DaemonSet maxSurge 1 and maxUnavailable 0",
		mend: func(spec map[string]any, r evidence.Reading) {
			spec[strings.TrimPrefix(r.Local, "spec.")] = "Cluster"
		},
		shown: "case local", twin: "case local-surged",
	},
}

var serviceChanged = advice{
	code: verdict.Code{
		Code: "RC3026", ID: "service-changed",
		Causes: "the Service, or an EndpointSlice of it that somebody wrote by hand, was changed to what no pod serves, or none yet: a version label " +
			"in its selector, a targetPort that old pods do not have.",
		Do: "select labels that stay the same; name the port of the container and use that name as targetPort; remove addresses of no pod.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool { return c.Trigger == timeline.TriggerService },
	says: func(a *advisedApp) (sign, remedy string) {
		most := a.mended[0]
		sign = fmt.Sprintf("%s %s, %s", phrase.Count(a.lost(), "request"), most.Did(), verdict.Since(most))
		switch most.Stage {
		case timeline.StageNotListening:
			return sign, "name the port of the container, and use that name as targetPort"
		case timeline.StageNoEndpoint:
			return sign, "have the Service select labels that pods of both versions have"
		default:
			return sign, "have its EndpointSlices list addresses of pods that serve"
		}
	},
	sign: &sign{
		certain: true, on: model.OnService, says: followsVersions,
		do:    "select labels that stay the same; name the port of the container, and use that name as targetPort",
		mend:  selectStable,
		shown: "case n12a", twin: "case n12c",
	},
}

var publishedUnready = advice{
	code: verdict.Code{
		Code: "RC3025", ID: "published-unready",
		Causes: "the Service that clients use has publishNotReadyAddresses: its pods are endpoints before they listen and until they are gone, " +
			"whatever their probe and hook say.",
		Do: "leave the field out of the Service that clients use, and give peers a headless Service with it.",
	},
	mends: func(a *advisedApp, c timeline.Cause) bool { return a.own.PublishesUnready && !isReady(c) },
	says: func(a *advisedApp) (sign, remedy string) {
		return fmt.Sprintf("the Service has publishNotReadyAddresses, so that %s went to pods before they listened or after their end",
			phrase.Count(a.lost(), "request")), "leave publishNotReadyAddresses out of it, and give peers a headless Service of their own"
	},
	sign: &sign{
		certain: true, on: model.OnService, says: publishesUnready,
		do:    "leave publishNotReadyAddresses out, and give peers a headless Service of their own",
		mend:  func(spec map[string]any, _ evidence.Reading) { delete(spec, "publishNotReadyAddresses") },
		shown: "case n1", twin: "case n1-ready",
	},
}

func isReady(c timeline.Cause) bool { return c.Condition == timeline.ConditionReady }

var certificateChanged = advice{
	code: verdict.Code{
		Code: "RC3029", ID: "certificate-changed",
		Causes: "handshakes failed since pods showed another certificate, or asked for one: of an authority that clients do not know, for another " +
			"name, or expired.",
		Do: "keep the authority when a chart is upgraded (look up the existing Secret), or have clients trust both before the first pod shows the " +
			"new one.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool { return c.Stage == timeline.StageTLS },
	says: func(a *advisedApp) (sign, remedy string) {
		most := a.mended[0]
		sign = fmt.Sprintf("%s %s", phrase.Count(a.lost(), "request"), most.Did())
		if remedy = certificateRemedies[most.Hits[0].Fault]; remedy == "" {
			remedy = "look at what the server asks of clients: versions of TLS, a client certificate"
		}
		return sign, remedy
	},
}

// certificateRemedies has what mends a fault of TLS.
var certificateRemedies = map[evidence.Fault]string{
	evidence.CertUnknownAuthority: "keep the authority, or have clients trust both before the first pod shows the new one",
	evidence.CertWrongName:        "have the certificate name the host that clients request",
	evidence.CertExpired:          "renew the certificate before it expires, and have pods load it",
	evidence.PlainHTTP:            "have the port speak TLS in all versions",
}

func selectsOthers(r evidence.Reading) (says, field string) {
	if len(r.Others) == 0 {
		return "", ""
	}
	return fmt.Sprintf("it also selects pods of %s: clients get these too, and are refused where nothing listens", strings.Join(r.Others,
			" and ")),
		"spec.selector"
}

func selectsPeers(r evidence.Reading) (says, field string) {
	if len(r.Peers) == 0 {
		return "", ""
	}
	return fmt.Sprintf("it also selects pods of %s, which may listen: clients get these too, as for a canary", strings.Join(r.Peers, " and ")),
		"spec.selector"
}

func emptiesNodes(r evidence.Reading) (says, field string) {
	if r.Kind != "DaemonSet" || r.Local == "" || r.Surge > 0 {
		return "", ""
	}
	return "a rollout takes each node's pod away before the next is there, and the policy Local sends clients to no other node",
		r.Local
}

func publishesUnready(r evidence.Reading) (says, field string) {
	if r.Service == "" || !r.PublishesUnready {
		return "", ""
	}
	return "it sends clients to pods before they listen and until they have ended, whatever their probe says and their hook does",
		"spec.publishNotReadyAddresses"
}

func followsVersions(r evidence.Reading) (says, field string) {
	switch {
	case len(r.Changed) > 0:
		return "applied, it changes for pods of the old version at once: " + strings.Join(r.Changed, "; "), "spec"
	case len(r.Versioned) > 0:
		return "its selector has a label that changes with each version, " + strings.Join(r.Versioned, " and ") +
			": the next apply leaves old pods out before new ones are there", "spec.selector"
	default:
		return "", ""
	}
}

// selectStable leaves labels that change with each version out of the selector, unless none stays.
func selectStable(spec map[string]any, r evidence.Reading) {
	selector := mapAt(spec, "selector")
	if len(selector) <= len(r.Versioned) {
		return
	}
	for _, label := range r.Versioned {
		delete(selector, label)
	}
}
