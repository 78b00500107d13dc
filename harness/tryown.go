package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/observe"
	"rollcall/harness/poll"
	"rollcall/harness/usage"
	"rollcall/harness/userapp"
	"rollcall/loadgen"
)

// tryOwn deploys the old version of an app of somebody else's as its scenarios will, asks it once and takes it away again.
// One that does not get ready, or whose reply does not name the version as its file says, is refused in one line.
func (r *Rig) tryOwn(ctx context.Context, out io.Writer, c *cluster.Cluster, session string) (err error) {
	if r.own == nil {
		return nil
	}
	fmt.Fprintf(out, "trying %s of %s\n", r.own.Name(), r.App)
	sp, err := r.spaces.take(ctx)
	if err != nil {
		return err
	}
	defer r.spaces.put(sp)
	if err := sp.open(ctx, c.Client, session, r.own.PodSecurity()); err != nil {
		return usage.New("namespace "+sp.name, err.Error(), "name one that is there and empty: -namespace=NAME")
	}
	defer func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupPatience)
		defer cancel()
		err = errors.Join(err, sp.leave(limited, c.Client, sp.name))
	}()
	if err := r.bringSecret(ctx, sp); err != nil {
		return err
	}
	service, err := r.own.Update().Deploy(ctx, c.Client, sp.name, fixtures.App{}, 0)
	if err != nil {
		return usage.New("app "+r.App, oneLine(err), "mend its manifests")
	}
	pod, err := r.ownReady(ctx, c, sp.name)
	if err != nil {
		return err
	}
	return r.askOwn(ctx, c, service, pod)
}

// ownReady returns a pod of the app when as many as its manifest names are ready, or refuses the app with what keeps them.
func (r *Rig) ownReady(ctx context.Context, c *cluster.Cluster, namespace string) (ready *corev1.Pod, err error) {
	ctx, cancel := context.WithTimeout(ctx, deployPatience)
	defer cancel()
	old, _ := r.own.Update().Versions()
	want, why, began := max(1, r.own.Known().Replicas), "", time.Now()
	n := 0 // pods that are ready
	err = poll.Until(ctx, 250*time.Millisecond, func() (bool, error) {
		pods, err := c.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: userapp.VersionLabel + "=" + old})
		if err != nil {
			return false, err
		}
		n = 0
		unpulled := false
		why = fmt.Sprintf("%d of %d pods were made", len(pods.Items), want)
		for _, pod := range pods.Items {
			if observe.Ready(&pod) {
				n, ready = n+1, &pod
			} else {
				why, unpulled = stuck(pod), unpulled || waitsForImage(pod)
			}
		}
		return n >= want || unpulled && time.Since(began) > trialPatience, nil
	})
	switch {
	case n >= want:
		return ready, nil
	case err != nil && !errors.Is(err, context.DeadlineExceeded):
		return nil, err
	}
	if complaint := lastWarning(context.WithoutCancel(ctx), c, namespace); complaint != "" {
		why += "; " + complaint
	}
	return nil, usage.New("app "+r.App, fmt.Sprintf("%s does not get ready as version %s: %s, for %v", r.own.Name(), old, why, time.Since(began).Round(time.Second)),
		"see that its manifests work without anything else in a namespace of their own, and that podSecurity says what they need")
}

// waitsForImage reports whether a pod has a container whose image its node does not get.
func waitsForImage(pod corev1.Pod) bool {
	for _, status := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		if w := status.State.Waiting; w != nil && strings.Contains(w.Reason, "Image") {
			return true
		}
	}
	return false
}

// lastWarning is what a controller or a node complained of last in a namespace; empty if nothing did, or we may not see it.
func lastWarning(ctx context.Context, c *cluster.Cluster, namespace string) (said string) {
	events, err := c.Client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "type=" + corev1.EventTypeWarning})
	if err != nil {
		return ""
	}
	var last time.Time
	for _, e := range events.Items {
		if at := e.CreationTimestamp.Time; !at.Before(last) {
			last, said = at, e.Reason+": "+inOneLine(e.Message)
		}
	}
	return said
}

// replyPatience is how long an app that is ready may take to answer, and what leads to its Service from outside to see that.
const replyPatience = 30 * time.Second

// askOwn refuses an app that does not answer, or that names another version than the one that was deployed.
func (r *Rig) askOwn(ctx context.Context, c *cluster.Cluster, service *corev1.Service, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, replyPatience)
	defer cancel()
	base := c.Route().URL
	if base == "" {
		forward, err := c.Forward(ctx, pod.Namespace, pod.Name, portOf(service, pod))
		if err != nil {
			return err
		}
		defer forward.Close()
		base = forward.URL
	}
	url := strings.TrimSuffix(base, "/") + r.own.Path()
	client := loadgen.FreshClient(loadgen.DefaultTimeout)
	old, _ := r.own.Update().Versions()
	var named string
	var last error
	err := poll.Until(ctx, 250*time.Millisecond, func() (bool, error) {
		named, last = r.own.Protocol().Ask(ctx, client, url)
		return last == nil, nil
	})
	switch {
	case err != nil && last != nil:
		why := strings.TrimPrefix(oneLine(last), "loadgen: ask "+url+": ")
		return usage.New("app "+r.App, fmt.Sprintf("asked for %s, and %s", r.own.Path(), why), "mend request or reply: what is asked for, what a good reply is, and where its version stands")
	case err != nil:
		return err
	case named != "" && named != old:
		return usage.New("app "+r.App, fmt.Sprintf("the reply of what was deployed as %q says %q", old, named), "spell old.name and new.name as replies do, or mend where the version stands")
	}
	return nil
}

// portOf is where a pod listens for what its Service sends to its first port.
func portOf(service *corev1.Service, pod *corev1.Pod) int {
	port := service.Spec.Ports[0]
	if port.TargetPort.Type == intstr.String {
		for _, container := range pod.Spec.Containers {
			for _, p := range container.Ports {
				if p.Name == port.TargetPort.StrVal {
					return int(p.ContainerPort)
				}
			}
		}
	}
	if n := port.TargetPort.IntValue(); n != 0 {
		return n
	}
	return int(port.Port)
}
