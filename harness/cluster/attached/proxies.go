package attached

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/usage"
)

// Kinds of service proxy beside the data planes.
const (
	unknownProxy = "unknown" // we have no right to look, or cannot see it
	mixedProxies = "mixed"   // not the same on all nodes
)

// Labels with the name of a pod's program: of networks, and of static pods, as those of kube-proxy are on GKE and RKE2.
const (
	appLabel       = "k8s-app"
	componentLabel = "component"
)

// replacements are networks that can replace a proxy, by the label of their pods.
func replacements() []string { return []string{"cilium", "kube-router", "calico-node", "antrea-agent"} }

// A Proxy is a node's service proxy.
type Proxy struct {
	Kind    string // a data plane, or none or unknown
	Because string // how Kind was found out
}

// detectProxies returns the service proxy of each node, as far as the API server shows it to us.
func detectProxies(ctx context.Context, client kubernetes.Interface, nodes []corev1.Node) map[string]Proxy {
	found := map[string]Proxy{}
	pods, err := proxyPods(ctx, client)
	if err != nil {
		for _, node := range nodes {
			found[node.Name] = Proxy{unknownProxy, "the pods of " + metav1.NamespaceSystem + " cannot be listed: " + usage.OneLine(err)}
		}
		return found
	}
	configured, because := configuredMode(ctx, client)
	instead := map[string]string{} // node -> the network that may replace a proxy there
	for _, pod := range pods {
		proxy, known := proxyOf(pod)
		if !known {
			instead[pod.Spec.NodeName] = pod.Labels[appLabel]
		} else if planes := proxy.Planes(); len(planes) == 1 {
			found[pod.Spec.NodeName] = Proxy{planes[0], "pod " + pod.Name + " of " + proxy.Name}
		} else if mode := modeFlag(pod); mode != "" {
			found[pod.Spec.NodeName] = Proxy{mode, "--proxy-mode of pod " + pod.Name}
		} else {
			found[pod.Spec.NodeName] = Proxy{configured, because}
		}
	}
	for _, node := range nodes {
		if _, known := found[node.Name]; known {
			continue
		}
		app, replaced := instead[node.Name]
		switch {
		case strings.Contains(node.Status.NodeInfo.KubeletVersion, "+k3s"):
			found[node.Name] = Proxy{unknownProxy, "k3s has kube-proxy in its own process, where it was not disabled"}
		case replaced:
			found[node.Name] = Proxy{dataplane.None.Name, "no kube-proxy, and " + app + " runs there"}
		default:
			found[node.Name] = Proxy{dataplane.None.Name, "no pod of kube-proxy runs there"}
		}
	}
	return found
}

// proxyOf returns the proxy that a pod runs, if it is one of those of Rollcall's data planes.
func proxyOf(pod corev1.Pod) (proxy *dataplane.Proxy, known bool) {
	for _, p := range dataplane.Proxies() {
		selector, err := labels.Parse(p.Selector)
		if err == nil && selector.Matches(labels.Set(pod.Labels)) || pod.Labels[componentLabel] == p.Name {
			return p, true
		}
	}
	return nil, false
}

// proxyPods returns the pods of proxies and of what can replace them.
func proxyPods(ctx context.Context, client kubernetes.Interface) (pods []corev1.Pod, err error) {
	selectors := []string{appLabel + " in (" + strings.Join(replacements(), ",") + ")"}
	for _, p := range dataplane.Proxies() {
		selectors = append(selectors, p.Selector, componentLabel+"="+p.Name)
	}
	for _, selector := range selectors {
		list, err := client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return nil, err
		}
		pods = append(pods, list.Items...)
	}
	return pods, nil
}

// modeFlag returns the value of --proxy-mode in a pod's command line; empty without the flag.
func modeFlag(pod corev1.Pod) string {
	for _, container := range pod.Spec.Containers {
		for _, word := range strings.Fields(strings.Join(append(slices.Clone(container.Command), container.Args...), " ")) {
			if mode, ok := strings.CutPrefix(word, "--proxy-mode="); ok {
				return mode
			}
		}
	}
	return ""
}

// configuredMode returns the mode in kube-proxy's ConfigMap, under the names that kubeadm, kind and many vendors use.
func configuredMode(ctx context.Context, client kubernetes.Interface) (mode, because string) {
	var last error
	for _, place := range [][2]string{{dataplane.KubeProxy.Name, dataplane.ConfigKey}, {"kube-proxy-config", "config"}} {
		configMap, err := client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, place[0], metav1.GetOptions{})
		if err != nil {
			last = err
			continue
		}
		var config struct {
			Mode string `json:"mode"`
		}
		if err := yaml.Unmarshal([]byte(configMap.Data[place[1]]), &config); err != nil {
			last = err
			continue
		}
		if config.Mode == "" {
			return dataplane.IPTables.Name, "ConfigMap " + place[0] + " names no mode, and this is the default on Linux"
		}
		return config.Mode, "ConfigMap " + place[0]
	}
	return unknownProxy, "the configuration of kube-proxy cannot be read: " + usage.OneLine(last)
}

// modeOf returns the mode of the whole cluster. The mode that the owner gave counts where none was detected, and is an error if
// another was.
func modeOf(proxies map[string]Proxy, given string) (string, error) {
	kinds := map[string]bool{}
	for _, p := range proxies {
		kinds[p.Kind] = true
	}
	delete(kinds, unknownProxy)
	found := slices.Sorted(maps.Keys(kinds))
	switch {
	case len(found) == 0 && given != "":
		return given, nil
	case len(found) == 0:
		return unknownProxy, nil
	case len(found) > 1:
		return mixedProxies, nil
	case given != "" && given != found[0]:
		return "", usage.New("--modes="+given, fmt.Sprintf("the cluster's service proxy is %s", found[0]), "leave --modes out")
	}
	return found[0], nil
}
