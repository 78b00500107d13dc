package advice

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"example.com/rollcall/harness/secret"
	"example.com/rollcall/reports/patch"
)

// A workload is the manifest of a Deployment, StatefulSet or DaemonSet, to which advice is applied.
type workload map[string]any

// deepCopy copies an object that came from JSON; its integers become int64, as manifests have them.
func deepCopy(object map[string]any) (copied map[string]any) {
	data, err := json.Marshal(object)
	if err == nil {
		err = utiljson.Unmarshal(data, &copied)
	}
	if err != nil {
		panic(err) // what came from JSON can be marshalled
	}
	return copied
}

// writesWithheld reports whether the patch to another manifest has a secret that the evidence does not have: applied, it would break the
// app.
func (w workload) writesWithheld(next workload) bool {
	changes, _ := patch.Of(w, next)
	return strings.Contains(changes, secret.Withheld)
}

// mapAt returns the map at a path of fields, and makes those that are missing.
func mapAt(object map[string]any, fields ...string) map[string]any {
	for _, field := range fields {
		next, is := object[field].(map[string]any)
		if !is {
			next = map[string]any{}
			object[field] = next
		}
		object = next
	}
	return object
}

func (w workload) pod() map[string]any { return mapAt(w, "spec", "template", "spec") }

// limits returns the object with maxSurge, maxUnavailable or both.
func (w workload) limits() map[string]any {
	if w["kind"] == "Deployment" {
		return mapAt(w, "spec", "strategy", "rollingUpdate")
	}
	return mapAt(w, "spec", "updateStrategy", "rollingUpdate")
}

func (w workload) containers() (all []map[string]any) {
	list, _ := w.pod()["containers"].([]any)
	for _, item := range list {
		if c, is := item.(map[string]any); is {
			all = append(all, c)
		}
	}
	return all
}

// answers returns the container that has the Service's port, or nil if it is not known.
func (w workload) answers(a *advisedApp) map[string]any {
	for _, c := range w.containers() {
		if c["name"] == a.own.Answers {
			return c
		}
	}
	return nil
}

func hookOf(container map[string]any) map[string]any {
	lifecycle, _ := container["lifecycle"].(map[string]any)
	hook, _ := lifecycle["preStop"].(map[string]any)
	return hook
}

// sleepOf returns for how many seconds a hook has the kubelet sleep; 0 if it does something else.
func sleepOf(hook map[string]any) int64 {
	seconds, _, _ := unstructured.NestedInt64(hook, "sleep", "seconds")
	return seconds
}

// sleep gives each container a preStop sleep of so many seconds or more: the one that answers may need the others. Hooks of other kinds
// stay.
func (w workload) sleep(seconds int64) bool {
	for _, c := range w.containers() {
		if hook := hookOf(c); hook == nil || hook["sleep"] != nil && sleepOf(hook) < seconds {
			mapAt(c, "lifecycle")["preStop"] = map[string]any{"sleep": map[string]any{"seconds": seconds}}
		}
	}
	w.outlast()
	return true
}

// defaultGrace is the grace period of a pod that names none, in seconds (core/v1 types.go, v1.37): Kubernetes' idea of how long an app
// takes to end.
const defaultGrace = 30

func (w workload) grace() int64 {
	if n, is := w.pod()["terminationGracePeriodSeconds"].(int64); is {
		return n
	}
	return defaultGrace
}

// outlast makes the grace period longer than the longest sleep, because the kubelet counts it from before the hook.
func (w workload) outlast() {
	longest := int64(0)
	for _, c := range w.containers() {
		longest = max(longest, sleepOf(hookOf(c)))
	}
	if w.grace() <= longest {
		w.pod()["terminationGracePeriodSeconds"] = longest + defaultGrace
	}
}

func none(limit any) bool { return limit == nil || limit == int64(0) || limit == "0%" }

func number(value any, otherwise int64) int64 {
	if n, is := value.(int64); is && n > 0 {
		return n
	}
	return otherwise
}
