package timeline

import "time"

// routesFollow is how long the rules of an idle node take to follow the endpoints: kube-proxy writes them once a second
// (minSyncPeriod, KubeProxyConfiguration v1alpha1).
const routesFollow = time.Second

// Misrouted reports whether a failed hit was routed to a pod that had exited, since when the pod was being deleted, and by how much longer
// than usual rules still routed there.
func (t Timeline) Misrouted(h Hit) (late, since time.Duration, ok bool) {
	p, served := t.Served(h)
	if !served || p.at(h.Sent).Phase < PodExited {
		return 0, 0, false
	}
	for _, step := range p.Steps {
		if step.Phase >= PodDeleting {
			return h.Sent - step.At + t.watchLag(step.At) - routesFollow, step.At, true
		}
	}
	return 0, 0, false
}

// Routers lists the actors that have to act before a client's node stops routing requests to a pod.
func (t Timeline) Routers(h Hit) []Actor {
	return append(ControlPlane(), Actor{Node: t.lane(h.Lane).Node, Program: KubeProxy})
}
