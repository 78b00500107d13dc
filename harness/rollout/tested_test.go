package rollout

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"example.com/rollcall/fixtures"
)

func TestFlipTestedFlipsWhatPassesItsTest(t *testing.T) {
	app, to := fixtures.App{Replicas: 3}, fixtures.Destination{Namespace: "ns"}
	broken := func(a *fixtures.App) { a.Env = &corev1.EnvVar{Name: "ROLLCALL_STATUS", Value: "500"} }
	for _, row := range []struct {
		sentence string
		strategy Strategy
		phase    corev1.PodPhase
		exit     int32
		selects  string // the Service, afterwards
		errs     bool
	}{
		{"the new version answers", FlipTested("v1", "v2"), corev1.PodSucceeded, 0, "v2", false},
		{"it does not", FlipRefused("v1", "v2", broken), corev1.PodFailed, 1, "v1", false},
		{"it does, though it was to fail", FlipRefused("v1", "v2", broken), corev1.PodSucceeded, 0, "v2", false},
		{"the test itself is broken", FlipTested("v1", "v2"), corev1.PodFailed, 2, "v1", true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			client := fake.NewClientset()
			client.PrependReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
				pod := a.(clienttesting.CreateAction).GetObject().(*corev1.Pod)
				pod.Name = "test"
				pod.Status = corev1.PodStatus{Phase: row.phase, ContainerStatuses: []corev1.ContainerStatus{
					{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: row.exit}}}}}
				return false, nil, nil
			})
			service, err := row.strategy.Deploy(t.Context(), client, to, app, 30080)
			if err != nil {
				t.Fatal(err)
			}
			if err := row.strategy.Begin(t.Context(), client, to, app); (err != nil) != row.errs {
				t.Errorf("begin: %v", err)
			}
			services := client.CoreV1().Services("ns")
			service, err = services.Get(t.Context(), service.Name, metav1.GetOptions{})
			if err != nil || service.Spec.Selector[fixtures.VersionLabel] != row.selects {
				t.Errorf("the Service selects %v, %v", service.Spec.Selector, err)
			}
			preview, err := services.Get(t.Context(), "echo-v2", metav1.GetOptions{})
			if err != nil || preview.Spec.Selector[fixtures.VersionLabel] != "v2" || preview.Spec.Type != corev1.ServiceTypeClusterIP {
				t.Errorf("the Service for tests: %+v, %v", preview.Spec, err)
			}
		})
	}
}
