package advice

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

var hookFailed = advice{
	code: verdict.Code{
		Code: "RC3001", ID: "hook-failed",
		Causes: "the program of a preStop hook is not in the image (no shell, exit 127), or it fails; the kubelet says so in an " +
			"Event and goes on with SIGTERM at once.",
		Do: "use `lifecycle.preStop.sleep`, for which the kubelet needs no program, or an image that has the program.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool { return unrouted(c) },
	also:  true,
	says:  sayHookFailed,
	apply: replaceHook,
	sign: &sign{
		on: model.OnWorkload, says: runsProgram,
		do: "roll it out: is the program in the image?",
	},
}

func sayHookFailed(a *advisedApp) (sign, remedy string) {
	if a.seen[timeline.HookFailed].Count == 0 {
		return "", ""
	}
	return fmt.Sprintf("the preStop hook failed %s, so its pods got SIGTERM at once", phrase.Count(a.seen[timeline.HookFailed].Count, "time")),
		"use the kubelet's own sleep (lifecycle.preStop.sleep), or an image that has the program of the hook"
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

var backendEndsFirst = advice{
	code: verdict.Code{
		Code: "RC3004", ID: "backend-ends-first",
		Causes: "a terminating pod answers 502, 503 or 504: its front container still runs while the one behind it has got " +
			"SIGTERM and exited.",
		Do: "give every container of the pod the same preStop hook, or let the one behind end last.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool { return c.Stage == timeline.StageBehind && ofEnding(c) },
	says:  sayBackendEndsFirst,
	apply: hookAll,
	sign: &sign{
		certain: true, on: model.OnWorkload, says: leavesUnhooked, asks: mayLeaveUnhooked,
		do:    "give every container that has a port the same preStop hook, or make the one behind a native sidecar",
		tells: "roll it out: does the app need that container until it ends?",
		shown: "case f8", twin: "case f8-both",
	},
}

func sayBackendEndsFirst(a *advisedApp) (sign, remedy string) {
	mend := "let the backend end last"
	if len(a.own.Unhooked) > 0 {
		mend = "give container " + strings.Join(a.own.Unhooked, " and ") + " the same preStop hook"
	}
	return fmt.Sprintf("terminating pods answered %s with the status of a proxy: the container that answered still ran, and its backend had ended",
		phrase.Count(a.lost(), "request")), mend
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

var hookStopsListening = advice{
	code: verdict.Code{
		Code: "RC3005", ID: "hook-stops-listening",
		Causes: "terminating pods refuse connections while nodes still send them some: the hook is over too soon, or makes the " +
			"app stop listening, as `nginx -s quit` does.",
		Do: "sleep first, for as long as the advice says, and then do what the hook does.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool {
		return ofEnding(c) && (c.Stage == timeline.StageStaleEndpoint || c.Stage == timeline.StageNotListening)
	},
	says:  sayHookStopsListening,
	apply: sleepFirst,
	sign: &sign{
		on: model.OnWorkload, says: mayStopListening,
		do: "roll it out: do pods answer until nodes send them nothing more?",
	},
}

func sayHookStopsListening(a *advisedApp) (sign, remedy string) {
	if !a.own.OtherHook || a.unfinishedHooks() || a.own.PublishesUnready {
		return "", ""
	}
	length := ""
	if a.lag() > 0 {
		length = fmt.Sprintf(" for %s", neededSleep(a))
	}
	return fmt.Sprintf("terminating pods refused %s that nodes still sent them, so the hook is too short, or stops the app from listening",
		phrase.Count(a.lost(), "connection")), fmt.Sprintf("have the preStop hook sleep%s before it does anything else", length)
}

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

// unfinishedHooks reports whether a preStop hook failed or was cut off: what it would have achieved is not known.
func (a *advisedApp) unfinishedHooks() bool {
	return a.seen[timeline.HookFailed].Count > 0 || a.seen[timeline.HookCutOff].Count > 0
}

// sleeps matches a command that only sleeps, alone or in a shell.
var sleeps = regexp.MustCompile(`^(\S*sh -c )?(\S*/)?sleep [0-9]+s?;?$`)

func runsProgram(r evidence.Reading) (says, field string) {
	if len(r.Programs) == 0 {
		return "", ""
	}
	return fmt.Sprintf("a preStop hook runs %s: where the image has no such program, pods get SIGTERM at once", strings.Join(r.Programs,
			" and ")),
		inContainer(r.Answers, "lifecycle.preStop")
}

func leavesUnhooked(r evidence.Reading) (says, field string) {
	switch {
	case r.Service == "":
		return "", ""
	case slices.Contains(r.Unhooked, r.Answers):
		return fmt.Sprintf("container %s gets SIGTERM at once, while nodes still send it the requests of Service %s: the preStop hook is another container's",
			r.Answers, r.Service), inContainer(r.Answers, "")
	case len(r.Exposed) == 0:
		return "", ""
	}
	return fmt.Sprintf("container %s gets SIGTERM at once, while the preStop hook of container %s keeps it answering: what it asks of the other fails",
		strings.Join(r.Exposed, " and "), r.Answers), inContainer(r.Exposed[0], "")
}

// mayLeaveUnhooked is about containers without a port: one may only ship logs.
func mayLeaveUnhooked(r evidence.Reading) (says, field string) {
	if r.Service == "" || len(r.Beside) == 0 {
		return "", ""
	}
	return fmt.Sprintf("container %s gets SIGTERM at once, while the preStop hook of container %s keeps it answering: it may need the other",
		strings.Join(r.Beside, " and "), r.Answers), inContainer(r.Beside[0], "")
}

func mayStopListening(r evidence.Reading) (says, field string) {
	if !r.Stopping {
		return "", ""
	}
	return "the preStop hook does something else than sleeping: if the app stops listening then, nodes still send it requests",
		inContainer(r.Answers, "lifecycle.preStop")
}
