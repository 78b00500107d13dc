package rollout

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"rollcall/fixtures"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
)

// There deploys nothing and rolls nothing out: an app of that version is there already, behind a Service that need not be the
// cluster's.
func There(version string, service *corev1.Service) Strategy { return there{version, service} }

type there struct {
	version string
	service *corev1.Service
}

func (t there) Versions() (old, new string) { return t.version, t.version }

func (t there) Deploy(
	context.Context, kubernetes.Interface, fixtures.Destination, fixtures.App, int32,
) (*corev1.Service, error) {
	return t.service, nil
}

func (there) Deployed(observe.State, fixtures.App) bool { return true }

func (there) Begin(context.Context, kubernetes.Interface, fixtures.Destination, fixtures.App) error {
	return nil
}

func (there) Settled(observe.State, fixtures.App) bool { return true }

// Over: no pod is on its way out, and every observed node routes to just the pods that are ready endpoints.
func (there) Over(s observe.State, _ fixtures.App) bool {
	var ready []string
	for _, e := range s.Endpoints {
		if e.Ready {
			ready = append(ready, e.Pod)
		}
	}
	for node := range s.Rules {
		if !sameNames(ready, s.Rules[node]) {
			return false
		}
	}
	return !s.Leaving()
}

func sameNames(names []string, servers []evidence.Server) bool {
	return len(names) == len(servers) &&
		!slices.ContainsFunc(servers, func(s evidence.Server) bool { return !slices.Contains(names, s.Pod) })
}
