package mutants

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// twoSyncs is for how long a Service is changed. kube-proxy writes rules once a second at most (minSyncPeriod): what is changed and taken
// back between two of these it may never see, and on a busy host it did not.
const twoSyncs = 3 * time.Second

// serviceMutants damage what the API says about the app's Service.
func serviceMutants() []Mutant {
	return []Mutant{
		{ID: "selector-changed", Damages: "the Service selects nobody for 3 s", Of: drained, EveryMode: true, When: begun(time.Second),
			Do:   serviceChanged(twoSyncs, func(s *corev1.Service) { s.Spec.Selector = map[string]string{fixtures.NameLabel: "nobody"} }),
			Want: verdict.Fail, Cause: "no-failures"},
		{ID: "port-changed", Damages: "the Service leads to a port on which nobody listens, for 3 s", Of: drained, EveryMode: true,
			When: begun(time.Second),
			Do:   serviceChanged(twoSyncs, func(s *corev1.Service) { fixtures.HTTPPort(s).TargetPort = intstr.FromInt32(appPort + 1) }),
			Want: verdict.Fail, Cause: "no-failures"},
		{ID: "slices-deleted", Damages: "the EndpointSlices of the Service are deleted, 10 times in 3 s", Of: drained, EveryMode: true,
			When: begun(time.Second), Do: slicesDeleted(10, 300*time.Millisecond), Want: verdict.Fail, Cause: "no-failures"},
		{ID: "stray-version", Damages: "a pod of another version, which no Deployment owns, is behind the Service", Of: drained, EveryMode: true,
			When: begun(0), Do: strayPod("v3", "v3"), Want: verdict.Fail, Cause: "serves"},
		{ID: "stray-unlabelled", Damages: "the same, and it does not say which version it is", Of: drained, EveryMode: true, When: begun(0),
			Do: strayPod("", "v3"), Want: verdict.Fail, Cause: "serves"},
		{ID: "stray-old-version", Damages: "a pod that calls itself v3 and answers as the old version stays behind the Service", Of: drained,
			EveryMode: true, When: begun(0), Do: strayPod("v3", harness.OldVersion), Want: verdict.Fail, Cause: "serves"},
		{ID: "stray-new-version", Damages: "a pod of the new version is there before the last old one has ended", Of: "statusgap/recreate",
			When: begun(0), Do: strayPod(harness.NewVersion, harness.NewVersion), Want: verdict.Fail, Cause: "old-ends-first"},
		{ID: "stray-mixed-version", Damages: "a pod that answers as the old version stays beside the new ones", Of: "statusgap/recreate",
			When: begun(0), Do: strayPod("v3", harness.OldVersion), Want: verdict.Fail, Cause: "serves"},
		{ID: "slice-of-nobody", Damages: "a further EndpointSlice of the Service leads to a port on which nobody listens", Of: drained,
			EveryMode: true, When: begun(time.Second), Do: sliceOfNobody(2 * time.Second), Want: verdict.Fail, Cause: "no-failures"},
		{ID: "wrong-pod", Damages: "a pod that is not rolled out gets the label that the Service selects by", Of: drained, EveryMode: true,
			When: begun(time.Second), Do: controlSelected, Want: verdict.Fail, Cause: "serves"},
	}
}

// serviceChanged changes the app's Service for a while.
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
		disruption.Pause(ctx, d)
		return write(context.WithoutCancel(ctx), func(live *corev1.Service) { live.Spec.Selector, live.Spec.Ports = was.Selector, was.Ports })
	}
}

// slicesDeleted deletes the EndpointSlices of the app's Service so many times. Their controller makes new ones.
func slicesDeleted(times int, every time.Duration) disruption.Act {
	return func(ctx context.Context, s disruption.Stage) error {
		slices := s.Cluster.Client().DiscoveryV1().EndpointSlices(s.Namespace)
		which := metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + s.App.ResourceName()}
		for range times {
			if err := slices.DeleteCollection(ctx, metav1.DeleteOptions{}, which); err != nil {
				return err
			}
			disruption.Pause(ctx, every)
		}
		return nil
	}
}

// strayPod makes a pod behind the app's Service, with a label and replies of these versions, until the load ends. An empty label
// is none.
func strayPod(label, version string) disruption.Act {
	return func(ctx context.Context, s disruption.Stage) error {
		template := s.App.Deployment(fixtures.Destination{Namespace: s.Namespace}, "v1").Spec.Template
		template.Labels[fixtures.VersionLabel] = label
		if label == "" {
			delete(template.Labels, fixtures.VersionLabel)
		}
		container := &template.Spec.Containers[0]
		container.Env = append(container.Env, corev1.EnvVar{Name: "ROLLCALL_VERSION", Value: version})
		stray := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "stray", Labels: template.Labels}, Spec: template.Spec}
		return thereFor(ctx, s.Cluster.Client().CoreV1().Pods(s.Namespace), stray, untilLoadEnds)
	}
}

// sliceOfNobody adds an EndpointSlice that nobody manages to the app's Service for a while.
func sliceOfNobody(d time.Duration) disruption.Act {
	return func(ctx context.Context, s disruption.Stage) error {
		controls, err := controlPods(ctx, s)
		if err != nil {
			return err
		}
		service, err := appService(ctx, s)
		if err != nil {
			return err
		}
		slice := &discoveryv1.EndpointSlice{
			ObjectMeta:  metav1.ObjectMeta{Name: "nobody", Labels: map[string]string{discoveryv1.LabelServiceName: service.Name}},
			AddressType: discoveryv1.AddressTypeIPv4,
			Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{controls[0].Status.PodIP}}},
			Ports:       []discoveryv1.EndpointPort{{Name: &fixtures.HTTPPort(service).Name, Port: new(int32(appPort + 1))}},
		}
		return thereFor(ctx, s.Cluster.Client().DiscoveryV1().EndpointSlices(s.Namespace), slice, d)
	}
}

// controlSelected puts a control pod, which answers as the old version, behind the app's Service until the load ends.
func controlSelected(ctx context.Context, s disruption.Stage) error {
	controls, err := controlPods(ctx, s)
	if err != nil {
		return err
	}
	pods := s.Cluster.Client().CoreV1().Pods(s.Namespace)
	label := func(ctx context.Context, name string) error {
		_, err := rollout.Edit(ctx, pods, controls[0].Name, func(live *corev1.Pod) { live.Labels[fixtures.NameLabel] = name })
		return err
	}
	err = label(ctx, s.App.ResourceName())
	<-ctx.Done()
	return errors.Join(err, label(context.WithoutCancel(ctx), fixtures.ControlName))
}

// untilLoadEnds is longer than a load: ctx ends with it.
const untilLoadEnds = time.Hour

// thereFor has an object be there for a while, or until ctx ends.
func thereFor[T metav1.Object](ctx context.Context, of disruption.Objects[T], object T, d time.Duration) error {
	if _, err := of.Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	disruption.Pause(ctx, d)
	return of.Delete(context.WithoutCancel(ctx), object.GetName(), metav1.DeleteOptions{})
}

// appService is the Service of the app.
func appService(ctx context.Context, s disruption.Stage) (*corev1.Service, error) {
	return s.Cluster.Client().CoreV1().Services(s.Namespace).Get(ctx, s.App.ResourceName(), metav1.GetOptions{})
}

// controlPods are the recording's control pods, at least one.
func controlPods(ctx context.Context, s disruption.Stage) ([]corev1.Pod, error) {
	list, err := s.Cluster.Client().CoreV1().Pods(s.Namespace).List(ctx, fixtures.Controls())
	if err == nil && len(list.Items) == 0 {
		err = fmt.Errorf("namespace %s has no control pod", s.Namespace)
	}
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}
