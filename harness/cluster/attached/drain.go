package attached

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/usage"
)

// checkDrain returns an error for a node to drain that does not exist, takes no pods, or runs somebody else's pods, which a drain
// would end.
func checkDrain(ctx context.Context, client kubernetes.Interface, nodes []corev1.Node, drain []string) error {
	refuse := func(name, because, remedy string) error {
		return usage.New("--allow=disruption:"+name, because, remedy)
	}
	if len(drain) == 1 {
		return refuse(drain[0], "pods that are drained need another node to go to", "name a second one: disruption:NODE,disruption:NODE")
	}
	for _, name := range drain {
		i := slices.IndexFunc(nodes, func(n corev1.Node) bool { return n.Name == name })
		switch {
		case i < 0:
			return refuse(name, "no such node", "see kubectl get nodes")
		case !takesPods(nodes[i]):
			return refuse(name, "it is not ready, tainted or cordoned, perhaps by a run that was killed", "name another, or kubectl uncordon "+name)
		}
		pods, err := client.CoreV1().Pods(metav1.NamespaceAll).List(ctx,
			metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", name).String()})
		if err != nil {
			return refuse(name, usage.OneLine(err), "bind the role of fixtures/staging/drains to this user")
		}
		for _, pod := range pods.Items {
			if !staysOrIsOurs(pod) {
				return refuse(name, fmt.Sprintf("it runs pod %s of namespace %s, which is not Rollcall's", pod.Name, pod.Namespace),
					"name a node that runs only pods of DaemonSets")
			}
		}
	}
	return nil
}

// staysOrIsOurs reports whether a drain leaves a pod alone, or may end it because it is ours.
func staysOrIsOurs(pod corev1.Pod) bool {
	owner := metav1.GetControllerOf(&pod)
	_, static := pod.Annotations[corev1.MirrorPodAnnotationKey]
	over := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	return static || over || owner != nil && owner.Kind == "DaemonSet" || pod.Labels[fixtures.PartOfLabel] == fixtures.Owner
}
