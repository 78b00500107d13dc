package record

import (
	"context"
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// logs collects the logs of the pods that match a label selector; for a container that restarted also the log of
// the previous one.
func (s source) logs(ctx context.Context, f *folder, namespace, selector string) {
	home := path.Join("logs", namespace)
	pods, err := s.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		f.miss(home, err)
		return
	}
	for _, pod := range pods.Items {
		for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
			file := path.Join(home, pod.Name, status.Name)
			s.log(ctx, f, file+".log", pod, status.Name, false)
			if status.RestartCount > 0 {
				s.log(ctx, f, file+".previous.log", pod, status.Name, true)
			}
		}
	}
}

func (s source) log(ctx context.Context, f *folder, file string, pod corev1.Pod, container string, previous bool) {
	text, err := s.Client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{
		Container: container, Previous: previous, Timestamps: true,
		TailLines: new(int64(podLines)), LimitBytes: new(int64(fileLimit) + 1), // one byte more shows that there was more
	}).DoRaw(ctx)
	f.add(file, text, err)
}
