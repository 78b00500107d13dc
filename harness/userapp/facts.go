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
	for _, c := range Hooked(spec, answers) {
		if sleep := PreStop(c).Sleep; sleep != nil {
			f.PreStop = max(f.PreStop, time.Duration(sleep.Seconds)*time.Second)
		} else {
			f.OtherHook = true
		}
	}
	hooked := false
	for _, c := range Serving(spec) {
		switch {
		case PreStop(c) != nil:
			hooked = true
		case !IsSidecar(c): // which ends after the others, so that it needs none
			f.Unhooked = append(f.Unhooked, c.Name)
		}
	}
	if !hooked {
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
