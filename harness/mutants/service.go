package mutants

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// twoSyncs is how long a Service stays changed. kube-proxy writes rules once a second at most (minSyncPeriod): a change that is undone
// before the next sync has no effect, as was seen on a busy host.
const twoSyncs = 3 * time.Second

// serviceMutants damage the app's Service and the pods behind it.
func serviceMutants() []Mutant {
	return []Mutant{
		{ID: "selector-changed", Damages: "the Service selects nobody for 3 s", Of: drained, EveryMode: true, When: begun(time.Second),
			Do:   serviceChanged(twoSyncs, func(s *corev1.Service) { s.Spec.Selector = map[string]string{fixtures.NameLabel: "nobody"} }),
			Want: verdict.Fail, Cause: "no-failures"},
		{ID: "port-changed", Damages: "the Service leads to a port on which nobody listens, for 3 s", Of: drained, EveryMode: true,
			When: begun(time.Second),
			Do:   serviceChanged(twoSyncs, func(s *corev1.Service) { fixtures.HTTPPort(s).TargetPort = intstr.FromInt32(appPort + 1) }),
			Want: verdict.Fail, Cause: "no-failures"},
		{ID: "stray-version", Damages: "a pod of another version, which no Deployment owns, is behind the Service", Of: drained, EveryMode: true,
			When: begun(0), Do: strayPod("v3", "v3"), Want: verdict.Fail, Cause: "serves"},
		{ID: "stray-old-version", Damages: "a pod that calls itself v3 and answers as the old version stays behind the Service", Of: drained,
			EveryMode: true, When: begun(0), Do: strayPod("v3", harness.OldVersion), Want: verdict.Fail, Cause: "serves"},
		{ID: "stray-new-version", Damages: "a pod of the new version is there before the last old one has ended", Of: "statusgap/recreate",
			When: begun(0), Do: strayPod(harness.NewVersion, harness.NewVersion), Want: verdict.Fail, Cause: "old-ends-first"},
	}
}

// serviceChanged changes the app's Service for d.
func serviceChanged(d time.Duration, change func(*corev1.Service)) disruption.Act {
	return func(ctx context.Context, s disruption.Stage) error {
		services := s.Cluster.Client().CoreV1().Services(s.Namespace)
		var was corev1.ServiceSpec
		write := func(ctx context.Context, change func(*corev1.Service)) error {
			_, err := rollout.Edit(ctx, services, s.App.ResourceName(), change)
			return err
		}
		err := write(ctx, func(live *corev1.Service) {
			was = *live.Spec.DeepCopy()
			change(live)
		})
		if err != nil {
			return err
		}
		poll.Pause(ctx, d)
		return write(context.WithoutCancel(ctx), func(live *corev1.Service) { live.Spec.Selector, live.Spec.Ports = was.Selector, was.Ports })
	}
}

// strayPod creates a pod behind the app's Service until the load ends. Its label and its replies name these versions.
func strayPod(label, version string) disruption.Act {
	return func(ctx context.Context, s disruption.Stage) error {
		template := s.App.Deployment(fixtures.Destination{Namespace: s.Namespace}, "v1").Spec.Template
		template.Labels[fixtures.VersionLabel] = label
		container := &template.Spec.Containers[0]
		container.Env = append(container.Env, corev1.EnvVar{Name: "ROLLCALL_VERSION", Value: version})
		stray := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "stray", Labels: template.Labels}, Spec: template.Spec}
		return untilLoadEnds(ctx, s.Cluster.Client().CoreV1().Pods(s.Namespace), stray)
	}
}

// untilLoadEnds creates an object, and deletes it when ctx ends, which is when the load ends.
func untilLoadEnds[T metav1.Object](ctx context.Context, of disruption.Objects[T], object T) error {
	if _, err := of.Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	<-ctx.Done()
	return of.Delete(context.WithoutCancel(ctx), object.GetName(), metav1.DeleteOptions{})
}
