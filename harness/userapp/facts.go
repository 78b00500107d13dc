package userapp

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/evidence"
)

// FactsOf returns the facts about pods behind a port of a Service. Of several containers it is the one with that port that answers.
func FactsOf(spec corev1.PodSpec, port corev1.ServicePort) (f evidence.UserApp) {
	answers := Answers(spec, port)
	f.Answers, f.Probed, f.Startup = answers.Name, answers.ReadinessProbe != nil, answers.StartupProbe != nil
	f.Grace = time.Duration(ptr.Deref(spec.TerminationGracePeriodSeconds, 30)) * time.Second
	if hook := PreStop(answers); hook != nil && hook.Sleep != nil {
		f.PreStop = time.Duration(hook.Sleep.Seconds) * time.Second
	} else {
		f.OtherHook = hook != nil
	}
	for _, c := range spec.Containers {
		if PreStop(c) == nil {
			f.Unhooked = append(f.Unhooked, c.Name)
		}
	}
	if len(f.Unhooked) == len(spec.Containers) {
		f.Unhooked = nil
	}
	return f
}

// PreStop returns the preStop hook of a container, or nil.
func PreStop(c corev1.Container) *corev1.LifecycleHandler {
	if c.Lifecycle == nil {
		return nil
	}
	return c.Lifecycle.PreStop
}
