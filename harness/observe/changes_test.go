package observe

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/harness/evidence"
)

// A world is what a Watch is told of, without a cluster.
type world struct {
	*testing.T
	*Watch
	sink *memorySink
	seen int
}

func newWorld(t *testing.T) *world {
	sink := newMemorySink()
	return &world{T: t, Watch: newWatch(time.Now(), sink, byLabel(version), "echo"), sink: sink}
}

// notes: since the last call these events were noted, each as "kind object count detail" without what it does not have.
func (w *world) notes(sentence string, want ...string) {
	w.Helper()
	var got []string
	for _, e := range w.sink.eventsFrom(w.seen) {
		w.seen++
		words := []string{string(e.Kind), cmp.Or(e.Object, e.By.Pod)}
		if e.Count != 0 || e.Kind == evidence.BudgetAllows {
			words = append(words, fmt.Sprint(e.Count))
		}
		got = append(got, strings.TrimSpace(strings.Join(append(words, e.Detail), " ")))
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		w.Errorf("%s (-want +got):\n%s", sentence, diff)
	}
}

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("uid of " + name)}
}

func ofApp(version string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"version": version}}}
}

func TestChangesOfTheService(t *testing.T) {
	service := func(edit func(*corev1.ServiceSpec)) *corev1.Service {
		s := &corev1.Service{ObjectMeta: named("echo"), Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"},
			Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromInt32(8080), Protocol: corev1.ProtocolTCP}},
			Type:  corev1.ServiceTypeClusterIP}}
		edit(&s.Spec)
		return s
	}
	same := func(*corev1.ServiceSpec) {}
	for _, row := range []struct {
		sentence string
		edit     func(*corev1.ServiceSpec)
		want     string
	}{
		{"nothing", same, ""},
		{"two things", func(s *corev1.ServiceSpec) {
			s.Selector["track"], s.Ports[0].TargetPort = "2", intstr.FromString("web")
		}, "selector app=web to app=web,track=2; targetPort of http 8080 to web"},
		{"its selector is taken away", func(s *corev1.ServiceSpec) { s.Selector = nil }, "selector app=web to none"},
		{"the port, and its protocol", func(s *corev1.ServiceSpec) { s.Ports[0].Port, s.Ports[0].Protocol = 81, corev1.ProtocolUDP },
			"port of http 80 to 81; protocol of http TCP to UDP"},
		{"another port", func(s *corev1.ServiceSpec) { s.Ports = append(s.Ports, corev1.ServicePort{Name: "grpc", Port: 9000}) },
			"port grpc added"},
		{"a port in place of another", func(s *corev1.ServiceSpec) { s.Ports[0].Name = "" }, "port http removed; port 80 added"},
		{"whether pods that are not ready get requests", func(s *corev1.ServiceSpec) { s.PublishNotReadyAddresses = true },
			"publishNotReadyAddresses false to true"},
		{"its policies", func(s *corev1.ServiceSpec) {
			s.InternalTrafficPolicy = new(corev1.ServiceInternalTrafficPolicyLocal)
			s.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyLocal
		}, "internalTrafficPolicy none to Local; externalTrafficPolicy none to Local"},
		{"its affinity and type", func(s *corev1.ServiceSpec) {
			s.SessionAffinity, s.Type = corev1.ServiceAffinityClientIP, corev1.ServiceTypeNodePort
		}, "sessionAffinity none to ClientIP; type ClusterIP to NodePort"},
	} {
		w := newWorld(t)
		tracker := newServiceTracker(w.journal, "echo")
		tracker.see(service(same), true)
		w.notes(row.sentence + ": it existed")
		tracker.see(service(row.edit), false)
		if row.want == "" {
			w.notes(row.sentence)
		} else {
			w.notes(row.sentence, "service-changed echo "+row.want)
		}
	}
	w := newWorld(t)
	tracker := newServiceTracker(w.journal, "echo")
	tracker.see(&corev1.Service{ObjectMeta: named("other")}, false)
	tracker.lose(&corev1.Service{ObjectMeta: named("other")})
	w.notes("another Service")
	tracker.see(service(same), false)
	tracker.lose(service(same))
	w.notes("it is created and deleted", "service-changed echo created", "service-changed echo deleted")
}

func TestEditsOfEndpointSlices(t *testing.T) {
	slice := func(by string, port int32, ready map[string]bool) *discoveryv1.EndpointSlice {
		s := &discoveryv1.EndpointSlice{ObjectMeta: named("manual"),
			Ports: []discoveryv1.EndpointPort{{Name: new("http"), Port: &port, Protocol: new(corev1.ProtocolTCP)}}}
		s.Labels = map[string]string{discoveryv1.LabelServiceName: "echo", discoveryv1.LabelManagedBy: by}
		for address, is := range ready {
			s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{Addresses: []string{address},
				Conditions: discoveryv1.EndpointConditions{Ready: &is}})
		}
		return s
	}
	w := newWorld(t)
	w.endpoints.see(slice("endpointslice-controller.k8s.io", 80, map[string]bool{"10.0.0.1": true}), false)
	w.endpoints.see(slice("endpointslicemirroring-controller.k8s.io", 80, map[string]bool{"10.0.0.2": true}), false)
	w.notes("slices that controllers write")
	w.endpoints.see(slice("me", 80, map[string]bool{"10.0.0.9": true}), true)
	w.notes("one that existed")
	w.endpoints.see(slice("me", 80, map[string]bool{"10.0.0.9": false, "10.0.0.10": true}), false)
	w.notes("an endpoint more, and one that is not ready", "slice-edited manual added 10.0.0.10; 10.0.0.9 not ready")
	w.endpoints.see(slice("me", 81, map[string]bool{"10.0.0.9": true}), false)
	w.notes("one less, one that is ready again, and another port",
		"slice-edited manual removed 10.0.0.10; 10.0.0.9 ready; ports http 80/TCP to http 81/TCP")
	w.endpoints.lose(slice("me", 81, nil))
	w.notes("it is deleted", "slice-edited manual deleted: 10.0.0.9")
	w.endpoints.see(slice("", 80, map[string]bool{"10.0.0.9": true, "10.0.0.8": false}), false)
	w.notes("one without that label is created", "slice-edited manual created: 10.0.0.8 not ready, 10.0.0.9")
	w.endpoints.see(slice("", 80, map[string]bool{"10.0.0.9": true, "10.0.0.8": false}), false)
	w.notes("it is the same")
}

func TestWhatBudgetsAllow(t *testing.T) {
	budget := func(name string, allowed int32, limit string) *policyv1.PodDisruptionBudget {
		b := &policyv1.PodDisruptionBudget{ObjectMeta: named(name), Spec: policyv1.PodDisruptionBudgetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"version": "v1"}}, MinAvailable: new(intstr.Parse(limit))}}
		b.Status.DisruptionsAllowed = allowed
		return b
	}
	w := newWorld(t)
	tracker := newBudgetTracker(w.journal, w.pods)
	tracker.see(budget("early", 1, "1"))
	w.notes("whose pods are not known yet", "budget-allows early 1 minAvailable 1")
	w.pods.see(somePod("a", corev1.ConditionTrue), true)
	w.notes("a pod of the app is seen", "pod-created a", "pod-ready a")
	others := budget("others", 1, "1")
	others.Spec.Selector.MatchLabels["version"] = "v9"
	tracker.see(others)
	tracker.lose(others)
	w.notes("of other pods")
	tracker.see(budget("early", 1, "1"))
	w.notes("nothing changes")
	tracker.see(budget("early", 0, "1"))
	w.notes("it allows none any more", "budget-allows early 0 minAvailable 1")
	tracker.see(budget("early", 0, "50%"))
	w.notes("another limit", "budget-allows early 0 minAvailable 50%")
	most := budget("early", 0, "1")
	most.Spec.MinAvailable, most.Spec.MaxUnavailable = nil, new(intstr.FromInt32(1))
	tracker.see(most)
	w.notes("a limit of the other kind", "budget-allows early 0 maxUnavailable 1")
	tracker.lose(most)
	w.notes("it is deleted", "budget-allows early 0 deleted")
	tracker.see(budget("late", 2, "1"))
	w.notes("one more", "budget-allows late 2 minAvailable 1")
}

func TestChangesOfAutoscalers(t *testing.T) {
	scaler := func(least, most int32, metrics ...autoscalingv2.MetricSpec) *autoscalingv2.HorizontalPodAutoscaler {
		return &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: named("web"), Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			MinReplicas: &least, MaxReplicas: most, Metrics: metrics}}
	}
	cpu := func(percent int32) autoscalingv2.MetricSpec {
		return autoscalingv2.MetricSpec{Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceCPU,
			Target: autoscalingv2.MetricTarget{AverageUtilization: &percent}}}
	}
	rate := autoscalingv2.MetricSpec{Pods: &autoscalingv2.PodsMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: "rate"},
		Target: autoscalingv2.MetricTarget{AverageValue: new(resource.MustParse("10"))}}}
	w := newWorld(t)
	tracker := newAutoscalerTracker(w.journal)
	tracker.see(scaler(2, 10, cpu(50)), true)
	w.notes("it existed")
	scaled := scaler(2, 10, cpu(50))
	scaled.Status.DesiredReplicas = 7
	tracker.see(scaled, false)
	w.notes("it does its work")
	tracker.see(scaler(1, 4, cpu(80), rate), false)
	w.notes("all is changed", "autoscaler-changed web minReplicas 2 to 1; maxReplicas 10 to 4; target cpu 50% to cpu 80%, rate 10")
	tracker.lose(scaled)
	w.notes("it is deleted", "autoscaler-changed web deleted")
	tracker.see(scaled, false)
	w.notes("and made anew", "autoscaler-changed web created")
}

func TestChangesOfWorkloads(t *testing.T) {
	deployment := func(replicas int32, edit func(*appsv1.DeploymentSpec)) *appsv1.Deployment {
		d := &appsv1.Deployment{ObjectMeta: named("web"), Spec: appsv1.DeploymentSpec{Replicas: &replicas, Template: ofApp("v1")}}
		if edit != nil {
			edit(&d.Spec)
		}
		return d
	}
	w := newWorld(t)
	w.workloads.seeDeployment(deployment(3, nil), true)
	w.notes("it existed")
	w.workloads.seeDeployment(deployment(1, func(s *appsv1.DeploymentSpec) { s.Template = ofApp("v2") }), false)
	w.notes("a rollout with fewer replicas", "workload-changed Deployment/web 1 replicas 3 to 1; template")
	w.workloads.seeDeployment(deployment(1, func(s *appsv1.DeploymentSpec) {
		s.Template, s.Paused, s.Strategy.Type = ofApp("v2"), true, appsv1.RecreateDeploymentStrategyType
	}), false)
	w.notes("it is paused, and does otherwise", "workload-changed Deployment/web 1 paused; strategy")
	w.workloads.seeDeployment(deployment(1, func(s *appsv1.DeploymentSpec) { s.Template = corev1.PodTemplateSpec{} }), false)
	w.notes("it makes pods of the app no more", "workload-changed Deployment/web 1 template; resumed; strategy")
	w.workloads.loseDeployment(deployment(1, nil))
	w.notes("it is deleted", "workload-changed Deployment/web deleted")
	if len(w.state().Deployments) > 0 {
		t.Error("it is still there")
	}
	other := deployment(1, func(s *appsv1.DeploymentSpec) { s.Template = corev1.PodTemplateSpec{} })
	w.workloads.seeDeployment(other, false)
	w.workloads.loseDeployment(other)
	w.notes("of another app")

	set := &appsv1.StatefulSet{ObjectMeta: named("db"), Spec: appsv1.StatefulSetSpec{Template: ofApp("v1")}}
	w.workloads.seeStatefulSet(set, false)
	w.notes("a StatefulSet is created", "workload-changed StatefulSet/db 1 created")
	set = set.DeepCopy()
	set.Spec.Replicas, set.Spec.UpdateStrategy.Type = new(int32(2)), appsv1.OnDeleteStatefulSetStrategyType
	w.workloads.seeStatefulSet(set, false)
	w.workloads.loseStatefulSet(set)
	w.notes("changed and deleted", "workload-changed StatefulSet/db 2 replicas 1 to 2; strategy", "workload-changed StatefulSet/db deleted")

	daemons := &appsv1.DaemonSet{ObjectMeta: named("edge"), Spec: appsv1.DaemonSetSpec{Template: ofApp("v1")}}
	w.workloads.seeDaemonSet(daemons, true)
	daemons = daemons.DeepCopy()
	daemons.Spec.Template = ofApp("v2")
	w.workloads.seeDaemonSet(daemons, false)
	w.workloads.loseDaemonSet(daemons)
	w.notes("a DaemonSet is rolled out and deleted", "workload-changed DaemonSet/edge template", "workload-changed DaemonSet/edge deleted")
}

// podOfSystem returns a pod of kube-system, with the value of its label k8s-app.
func podOfSystem(app, name string, ready corev1.ConditionStatus) *corev1.Pod {
	p := somePod(name, ready)
	p.Namespace, p.UID, p.Labels = metav1.NamespaceSystem, types.UID(name), map[string]string{systemLabel: app}
	return p
}

func proxyConfig(text string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "kube-proxy"},
		Data: map[string]string{"config.conf": "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n" + text}}
}

func TestPodsOfTheSystem(t *testing.T) {
	deleted := func(p *corev1.Pod) *corev1.Pod {
		p.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		return p
	}
	w := newWorld(t)
	tracker := newSystemPodTracker(w.journal)
	tracker.see(podOfSystem("kube-proxy", "a", corev1.ConditionFalse), true)
	tracker.see(podOfSystem("kube-proxy", "a", corev1.ConditionTrue), false)
	w.notes("one that existed is ready")
	tracker.see(deleted(podOfSystem("kube-proxy", "a", corev1.ConditionTrue)), false)
	tracker.lose(deleted(podOfSystem("kube-proxy", "a", corev1.ConditionFalse)))
	w.notes("it is deleted", "system-pod-deleting kube-proxy")
	for _, row := range []struct{ sentence, config, mode string }{
		{"a mode", `mode: "nftables"`, " nftables"},
		{"no mode", `mode: ""`, " iptables"},
		{"a mode that is not a text", `mode: [ipvs]`, ""},
	} {
		tracker.seeConfig(proxyConfig(row.config))
		tracker.see(podOfSystem("kube-proxy", row.sentence, corev1.ConditionFalse), false)
		tracker.see(podOfSystem("kube-proxy", row.sentence, corev1.ConditionTrue), false)
		tracker.see(podOfSystem("kube-proxy", row.sentence, corev1.ConditionTrue), false)
		w.notes("a new kube-proxy, with "+row.sentence, "system-pod-ready kube-proxy"+row.mode)
	}
	tracker.loseConfig(proxyConfig(""))
	tracker.see(podOfSystem("kube-proxy", "b", corev1.ConditionTrue), false)
	tracker.see(podOfSystem("kube-dns", "dns", corev1.ConditionTrue), false)
	w.notes("pods that are ready at once, without kube-proxy's ConfigMap", "system-pod-ready kube-proxy", "system-pod-ready coredns")
	tracker.lose(podOfSystem("kube-dns", "dns", corev1.ConditionTrue))
	w.notes("one that is removed by force", "system-pod-deleting coredns")
	if by := w.sink.eventsFrom(w.seen - 1)[0].By; by != (evidence.Server{Pod: "dns", Node: "worker"}) {
		t.Errorf("by %+v", by)
	}
}

// Each kind of the table is watched, with what existed when the watch began told from what came later.
func TestWatchSeesChangesOfEveryKind(t *testing.T) {
	service := &corev1.Service{ObjectMeta: named("echo")}
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: named("web"), Spec: policyv1.PodDisruptionBudgetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"version": "v1"}}, MaxUnavailable: new(intstr.FromInt32(1))}}
	others := budget.DeepCopy()
	others.Name, others.Spec.Selector.MatchLabels = "others", map[string]string{"version": "v9"}
	scaler := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: named("web")}
	daemons := &appsv1.DaemonSet{ObjectMeta: named("edge"), Spec: appsv1.DaemonSetSpec{Template: ofApp("v1")}}
	deployment := &appsv1.Deployment{ObjectMeta: named("web"), Spec: appsv1.DeploymentSpec{Template: ofApp("v1")}}
	set := &appsv1.StatefulSet{ObjectMeta: named("db"), Spec: appsv1.StatefulSetSpec{Template: ofApp("v1")}}
	slice := someSlice("manual", nil)
	delete(slice.Labels, discoveryv1.LabelManagedBy)
	client := permitting(service, budget, others, scaler, daemons, deployment, set, slice, somePod("a", corev1.ConditionTrue),
		proxyConfig("mode: ipvs"), podOfSystem("kube-proxy", "old", corev1.ConditionTrue))
	synctest.Test(t, func(t *testing.T) {
		sink := newMemorySink()
		w, err := Start(t.Context(), client, Scope{Namespace: namespace, Service: "echo", VersionLabel: version, NoLogs: true}, time.Now(), sink)
		if err != nil {
			t.Fatal(err)
		}
		defer stop(t, w)
		synctest.Wait() // until every watch has begun: the server here has no events of before
		seen := &world{T: t, Watch: w, sink: sink}
		seen.notes("what existed", "pod-created a", "pod-ready a", "budget-allows web 0 maxUnavailable 1")

		service.Spec.Type, budget.Status.DisruptionsAllowed, scaler.Spec.MaxReplicas = corev1.ServiceTypeNodePort, 1, 5
		daemons.Spec.Template, deployment.Spec.Paused, set.Spec.Replicas = ofApp("v2"), true, new(int32(2))
		slice.Endpoints = []discoveryv1.Endpoint{{Addresses: []string{"10.0.0.9"}}}
		for _, row := range []struct {
			resource schema.GroupVersionResource
			object   metav1.Object
			want     string
		}{
			{corev1.SchemeGroupVersion.WithResource("services"), service, "service-changed echo type none to NodePort"},
			{policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets"), budget, "budget-allows web 1 maxUnavailable 1"},
			{autoscalingv2.SchemeGroupVersion.WithResource("horizontalpodautoscalers"), scaler, "autoscaler-changed web maxReplicas 0 to 5"},
			{appsv1.SchemeGroupVersion.WithResource("daemonsets"), daemons, "workload-changed DaemonSet/edge template"},
			{appsv1.SchemeGroupVersion.WithResource("deployments"), deployment, "workload-changed Deployment/web 1 paused"},
			{appsv1.SchemeGroupVersion.WithResource("statefulsets"), set, "workload-changed StatefulSet/db 2 replicas 1 to 2"},
			{discoveryv1.SchemeGroupVersion.WithResource("endpointslices"), slice, "slice-edited manual added 10.0.0.9"},
		} {
			if err := client.Tracker().Update(row.resource, row.object.(runtime.Object), namespace); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			seen.notes(row.resource.Resource, row.want)
		}
		if err := client.Tracker().Add(podOfSystem("kube-proxy", "new", corev1.ConditionTrue)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		seen.notes("a pod of kube-system", "system-pod-ready kube-proxy ipvs")
	})
}
