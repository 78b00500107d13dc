package try

import (
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
	"example.com/rollcall/harness/standstill"
)

// refusals are remedies for the messages of admission about pods that it rejects (v1.37: apiserver, plugin/resourcequota/controller.go,
// and plugin/pkg/admission/limitranger/admission.go).
var refusals = []struct{ sign, remedy string }{
	{"exceeded quota", "raise the quota, or have the pods ask for less"},
	{"failed quota", "have the pods ask for what the quota counts"},
	{"usage per ", "have the pods ask for what the LimitRange allows"},
}

func remedy(why, other string) string {
	for _, of := range refusals {
		if strings.Contains(why, of.sign) {
			return of.remedy
		}
	}
	return other
}

// remedies has what to do about obstacles to the app's pods. The first row that fits counts; what a row leaves empty fits all.
var remedies = []struct {
	kind   standstill.Kind
	lacks  evidence.Lack
	reason string
	remedy string
}{
	{kind: standstill.NoImage, remedy: "correct the image's name"},
	{kind: standstill.NotPulled, remedy: "have nodes reach its registry, or have the image in this host's Docker"},
	{kind: standstill.SlowStart, remedy: "give it a startup probe that allows for its start"},
	{kind: standstill.Exited, reason: "OOMKilled", remedy: "raise its memory limit"},
	{kind: standstill.Exited, reason: "Completed", remedy: "have its program run until it gets SIGTERM"},
	{kind: standstill.Exited, remedy: "its last lines may say why"},
	{kind: standstill.NotMade, remedy: "correct what its message names"},
	{kind: standstill.NoNode, lacks: message.LacksLabels, remedy: "have a node that fits: remove the nodeSelector or the node affinity"},
	{kind: standstill.NoNode, remedy: "have a node that fits: tolerate the taint"},
	{kind: standstill.NoRoom, lacks: message.LacksRoom, remedy: "have its pods ask for less"},
	{kind: standstill.NoRoom, lacks: message.LacksPort, remedy: "have fewer replicas, or no hostPort"},
	{kind: standstill.NoRoom, lacks: message.LacksOtherNode, remedy: "have fewer replicas, or only prefer other nodes"},
	{kind: standstill.NoRoom, remedy: "have a node that fits"},
	{kind: standstill.ProbeFails, remedy: "have the app answer its probe"},
}

// remedyFor returns what to do about an obstacle to the app's pods.
func remedyFor(o standstill.Obstacle) string {
	switch {
	case o.Kind == standstill.Missing && o.Absent.Key != "":
		return "add the key to the " + o.Absent.Kind
	case o.Kind == standstill.Missing && o.Absent.Kind == "Secret":
		return "add the Secret to the manifests, with test values"
	case o.Kind == standstill.Missing:
		return "add the " + o.Absent.Kind + " to the manifests"
	}
	for _, of := range remedies {
		if of.kind == o.Kind && (of.lacks == "" || of.lacks == o.Lacks) && (of.reason == "" || of.reason == o.Reason) {
			return of.remedy
		}
	}
	return remedy(o.Message, "have it get ready: kubectl describe pods")
}
