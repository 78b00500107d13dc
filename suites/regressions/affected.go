package regressions

import (
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/kube"
)

// Affected returns, by scenario id, the change that gives a cluster the scenario's bug. A cluster of the default Kubernetes version
// has none of the bugs by itself. Two components are too old for that version, and need 1.36.
func Affected() map[string][]cluster.Change {
	return map[string][]cluster.Change{
		"long-service-name":         {change.Component(kube.KubeProxy, "v1.35.3")},
		"udp-without-endpoints":     {change.Component(kube.KubeProxy, "v1.35.3")},
		"reused-address":            {change.Component(kube.KubeProxy, "v1.35.3")},
		"exec-probe":                {change.Component(kube.Kubelet, "v1.35.3")},
		"sidecar":                   {change.Component(kube.Kubelet, "v1.35.3")},
		"environment-binary-secret": {change.Component(kube.Kubelet, "v1.35.3")},
		"environment-dollar":        {change.Component(kube.Kubelet, "v1.34.2")},
		"kubelet-restart":           {change.Component(kube.Kubelet, "v1.34.2")},
		"udp-target-port":           {change.Component(kube.KubeProxy, "v1.33.0")},         // with 1.36
		"set-available":             {change.Component(kube.ControllerManager, "v1.35.0")}, // with 1.36
		"on-delete":                 {change.Component(kube.ControllerManager, "v1.36.4")},
		"parallel-set":              {change.Component(kube.ControllerManager, "v1.36.4"), severalMissing()},
		"stored-revision":           {bytesCompared()},
	}
}

// Settings that give a release a bug that it does not have by default.

// severalMissing makes StatefulSets obey maxUnavailable.
func severalMissing() cluster.Change {
	return change.Gate("MaxUnavailableStatefulSet", true)
}

// bytesCompared makes the controller compare stored revisions by their bytes.
func bytesCompared() cluster.Change {
	return change.Gate("StatefulSetSemanticRevisionComparison", false)
}
