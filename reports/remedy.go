package reports

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/timeline"
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

// unmeasured is the sleep, in seconds, if it was not seen for how long nodes go on sending requests: five times what kube-proxy waits from
// one change of its rules to the next (minSyncPeriod, 1 s).
const unmeasured = 5

func (a *advisedApp) seconds() int64 {
	if a.lag() == 0 {
		return unmeasured
	}
	return int64(neededSleep(a).Seconds())
}

// replaceHook replaces the hook that failed by a sleep. Which container's hook failed is not known: it is taken to be that of the container
// that answers, if it has one.
func replaceHook(a *advisedApp, w workload) bool {
	for _, c := range w.containers() {
		hook := hookOf(c)
		if hook != nil && hook["sleep"] == nil && (c["name"] == a.own.Answers || !a.own.OtherHook) {
			delete(mapAt(c, "lifecycle"), "preStop")
		}
	}
	return w.sleep(a.seconds())
}

func keepOne(_ *advisedApp, w workload) bool {
	spec := mapAt(w, "spec")
	switch {
	case w["kind"] != "StatefulSet":
		limits := w.limits()
		limits["maxUnavailable"] = int64(0)
		if none(limits["maxSurge"]) { // both may not be 0 (pkg/apis/apps/validation, v1.37)
			limits["maxSurge"] = int64(1)
		}
	case number(spec["replicas"], 1) < 2:
		spec["replicas"] = int64(2)
	default:
		w.limits()["maxUnavailable"] = int64(1)
	}
	return true
}

func none(limit any) bool { return limit == nil || limit == int64(0) || limit == "0%" }

// probe adds a readiness probe with a short period, because a pod is unready until it succeeds once in a period (10 s by default).
func probe(a *advisedApp, w workload) bool {
	c := w.answers(a)
	if c == nil || a.own.Asked == nil {
		return false
	}
	asks := deepCopy(a.own.Asked)
	asks["periodSeconds"] = int64(1)
	c["readinessProbe"] = asks
	return true
}

func hookAll(a *advisedApp, w workload) bool {
	hook := hookOf(w.answers(a))
	if hook == nil || len(a.own.Unhooked) == 0 {
		return false
	}
	for _, c := range w.containers() {
		if hookOf(c) == nil {
			mapAt(c, "lifecycle")["preStop"] = deepCopy(hook)
		}
	}
	return true
}

// sleeps matches a command that only sleeps, alone or in a shell.
var sleeps = regexp.MustCompile(`^(\S*sh -c )?(\S*/)?sleep [0-9]+s?;?$`)

// sleepFirst puts a sleep before the command of a hook: in the hook's shell, or in one that the image has to have. A hook that only sleeps
// becomes the kubelet's own sleep.
func sleepFirst(a *advisedApp, w workload) bool {
	hook := hookOf(w.answers(a))
	exec, _ := hook["exec"].(map[string]any)
	command, _ := exec["command"].([]any)
	if len(command) == 0 {
		return false
	}
	var words []string
	for _, word := range command {
		words = append(words, fmt.Sprint(word))
	}
	seconds := a.seconds()
	if sleeps.MatchString(strings.Join(words, " ")) {
		delete(mapAt(w.answers(a), "lifecycle"), "preStop")
		return w.sleep(seconds)
	}
	if len(words) == 3 && strings.HasSuffix(path.Base(words[0]), "sh") && words[1] == "-c" {
		command[2] = fmt.Sprintf("sleep %d; %s", seconds, words[2])
	} else {
		exec["command"] = append([]any{"sh", "-c", fmt.Sprintf(`sleep %d; exec "$@"`, seconds), "sh"}, command...)
	}
	w.pod()["terminationGracePeriodSeconds"] = w.grace() + seconds // so that the rest of the hook has as long as before
	return true
}

func sleepLonger(a *advisedApp, w workload) bool { return !a.lostNothing() && w.sleep(a.seconds()) }

func sleepUntilUnsent(a *advisedApp, w workload) bool {
	return (a.lag() == 0 || a.own.PreStop < neededSleep(a)) && w.sleep(a.seconds())
}

// raiseGrace makes the grace period longer than the sleep, and by defaultGrace longer again if hooks did not end in it: how long they take
// is not known.
func raiseGrace(a *advisedApp, w workload) bool {
	w.outlast()
	if a.seen[timeline.HookCutOff].Count > 0 {
		w.pod()["terminationGracePeriodSeconds"] = w.grace() + defaultGrace
	}
	return true
}

func leaveReplicas(_ *advisedApp, w workload) bool {
	delete(mapAt(w, "spec"), "replicas")
	return true
}

func rollInstead(_ *advisedApp, w workload) bool {
	mapAt(w, "spec", "strategy")["type"] = "RollingUpdate"
	return true
}

// goFirst has an old pod of a Deployment end before a new one starts; StatefulSets do so, and by default DaemonSets.
func goFirst(a *advisedApp, w workload) bool {
	if a.heldByOld() == "" || w["kind"] != "Deployment" {
		return false
	}
	limits := w.limits()
	limits["maxSurge"], limits["maxUnavailable"] = int64(0), int64(1)
	return true
}

// startWithin is how long a start may take, in seconds: 30 times 10 s, as in Kubernetes' guide to probes for slow ones.
const startWithin = 300

func allowStart(a *advisedApp, w workload) bool {
	c := w.answers(a)
	if startup, has := c["startupProbe"].(map[string]any); has {
		period, threshold := number(startup["periodSeconds"], 10), number(startup["failureThreshold"], 3) // core/v1 defaults.go
		startup["failureThreshold"] = max(2*threshold, (startWithin+period-1)/period)
		return true
	}
	liveness, has := c["livenessProbe"].(map[string]any)
	if !has {
		return false
	}
	startup := deepCopy(liveness)
	delete(startup, "initialDelaySeconds")
	startup["periodSeconds"], startup["failureThreshold"] = int64(1), int64(startWithin)
	c["startupProbe"] = startup
	return true
}

func number(value any, otherwise int64) int64 {
	if n, is := value.(int64); is && n > 0 {
		return n
	}
	return otherwise
}
