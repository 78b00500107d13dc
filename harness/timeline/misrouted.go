package timeline

import "time"

// routesFollow is what it takes on an idle node until its rules follow the endpoints: a kube-proxy writes them once a second
// (minSyncPeriod, KubeProxyConfiguration v1alpha1).
const routesFollow = time.Second

// Misrouted reports whether a failed hit was led to a pod that had ended, since when rules were to be changed because the pod
// was deleted, and by how much later than usual they still led there.
func (t Timeline) Misrouted(h Hit) (late, since time.Duration, ok bool) {
	p, served := t.Served(h)
	if !served || p.at(h.Sent).Phase < PodExited {
		return 0, 0, false
	}
	for _, step := range p.Steps {
		if step.Phase >= PodDeleting {
			return h.Sent - step.At - routesFollow, step.At, true
		}
	}
	return 0, 0, false
}

// Routers are who has to act so that a client's node no longer leads requests to a pod.
func (t Timeline) Routers(h Hit) []Actor {
	return append(ControlPlane(), Actor{Node: t.lane(h.Lane).Node, Program: KubeProxy})
}
