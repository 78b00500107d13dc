package observe

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/evidence"
)

// A serviceTracker notes changes of the Service whose endpoints are watched.
type serviceTracker struct {
	*specTracker[corev1.ServiceSpec]
	name string
}

func newServiceTracker(j *journal, name string) serviceTracker {
	return serviceTracker{newSpecTracker(j, evidence.ServiceChanged, serviceChanges), name}
}

func (t serviceTracker) see(s *corev1.Service, existed bool) {
	if s.Name == t.name {
		t.change(func() { t.specTracker.see(s.Name, s.Spec, existed) })
	}
}

func (t serviceTracker) lose(s *corev1.Service) { t.change(func() { t.specTracker.lose(s.Name) }) }

// serviceChanges says what differs between two specs of a Service that decides where requests go.
func serviceChanges(was, is corev1.ServiceSpec) []string {
	said := changed(field{"selector", labels.Set(was.Selector).String(), labels.Set(is.Selector).String()})
	return slices.Concat(said, portChanges(was.Ports, is.Ports), changed(
		field{"publishNotReadyAddresses", was.PublishNotReadyAddresses, is.PublishNotReadyAddresses},
		field{"internalTrafficPolicy", ptr.Deref(was.InternalTrafficPolicy, ""), ptr.Deref(is.InternalTrafficPolicy, "")},
		field{"externalTrafficPolicy", was.ExternalTrafficPolicy, is.ExternalTrafficPolicy},
		field{"sessionAffinity", was.SessionAffinity, is.SessionAffinity},
		field{"type", was.Type, is.Type},
	))
}

// portChanges says what differs between the ports of a Service, by their names. Only the one port of a Service has none (core/v1,
// ServicePort.Name).
func portChanges(was, is []corev1.ServicePort) (said []string) {
	named := func(name string) func(corev1.ServicePort) bool {
		return func(p corev1.ServicePort) bool { return p.Name == name }
	}
	for _, p := range was {
		if !slices.ContainsFunc(is, named(p.Name)) {
			said = append(said, "port "+cmp.Or(p.Name, fmt.Sprint(p.Port))+" removed")
		}
	}
	for _, p := range is {
		i := slices.IndexFunc(was, named(p.Name))
		if i < 0 {
			said = append(said, "port "+cmp.Or(p.Name, fmt.Sprint(p.Port))+" added")
			continue
		}
		of := ""
		if p.Name != "" {
			of = " of " + p.Name
		}
		said = append(said, changed(
			field{"port" + of, was[i].Port, p.Port},
			field{"targetPort" + of, was[i].TargetPort.String(), p.TargetPort.String()},
			field{"protocol" + of, was[i].Protocol, p.Protocol},
		)...)
	}
	return said
}
