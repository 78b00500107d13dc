package userapp

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"

	"rollcall/fixtures"
	"rollcall/harness/document"
	"rollcall/harness/evidence"
	"rollcall/loadgen"
)

// VersionLabel is on every pod of the workload, with the version's name as its value. Another than our own app's: that
// one may be in use.
const VersionLabel = "rollcall.local/version"

// An App is one of somebody else's: what its file says and the objects of its manifests.
type App struct {
	document Document
	objects  []runtime.Object // but for the workload, in the order of the manifests
	workload runtime.Object   // a Deployment or a StatefulSet
	service  *corev1.Service
	known    evidence.UserApp
}

// Read reads the file of an app and the manifests it names. The error is one line that names the file and the field or
// object. Kinds that Rollcall does not copy are left out, and Known says so.
func Read(file string) (*App, error) {
	a := &App{}
	if err := document.Read(file, Kind, &a.document); err != nil {
		return nil, err
	}
	if err := a.document.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, name := range a.document.Manifests {
		if err := a.load(filepath.Join(filepath.Dir(file), name)); err != nil {
			return nil, err
		}
	}
	if a.workload == nil {
		return nil, fmt.Errorf("%s: workload: no manifest has %s %s", file, a.document.Workload.Kind, a.document.Workload.Name)
	}
	if a.service == nil {
		return nil, fmt.Errorf("%s: service: no manifest has Service %s", file, a.document.Service)
	}
	if err := a.complete(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return a, nil
}

// load reads the objects of one manifest.
func (a *App) load(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: cannot be read: %w", file, err)
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for n := 1; ; n++ {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: document %d: %w", file, n, err)
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		object, kind, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if runtime.IsNotRegisteredError(err) {
			a.leaveOut(fmt.Sprintf("document %d of %s", n, filepath.Base(file)))
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: document %d: %w", file, n, err)
		}
		a.take(object, kind.Kind)
	}
}

// take keeps an object, without what belongs to the place it comes from.
func (a *App) take(object runtime.Object, kind string) {
	meta, ok := object.(metav1.Object)
	if !ok {
		a.leaveOut(kind)
		return
	}
	name := meta.GetName()
	meta.SetNamespace("")
	meta.SetUID("")
	meta.SetResourceVersion("")
	meta.SetOwnerReferences(nil)
	labels := maps.Clone(meta.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}
	labels[fixtures.ManagedByLabel] = fixtures.Owner
	meta.SetLabels(labels)
	switch o := object.(type) {
	case *appsv1.Deployment, *appsv1.StatefulSet:
		if kind == a.document.Workload.Kind && name == a.document.Workload.Name {
			a.workload = object
			return
		}
		a.objects = append(a.objects, object)
	case *corev1.Service:
		o.Spec.ExternalIPs, o.Spec.LoadBalancerIP = nil, ""
		if o.Spec.ClusterIP != corev1.ClusterIPNone {
			o.Spec.ClusterIP, o.Spec.ClusterIPs, o.Spec.Type = "", nil, corev1.ServiceTypeClusterIP
		}
		for i := range o.Spec.Ports {
			o.Spec.Ports[i].NodePort = 0
		}
		if name == a.document.Service {
			a.service = o
			return
		}
		a.objects = append(a.objects, object)
	case *corev1.ConfigMap, *corev1.Secret, *corev1.ServiceAccount, *policyv1.PodDisruptionBudget:
		a.objects = append(a.objects, object)
	case *autoscalingv2.HorizontalPodAutoscaler:
		if o.Spec.ScaleTargetRef.Kind == a.document.Workload.Kind && o.Spec.ScaleTargetRef.Name == a.document.Workload.Name {
			a.known.Autoscaled = name
		}
		a.objects = append(a.objects, object)
	default:
		a.leaveOut(kind + " " + name)
	}
}

func (a *App) leaveOut(what string) {
	a.known.Adapted = append(a.known.Adapted, what+" is left out")
}

// complete checks what the objects say together, and learns what there is to know of them.
func (a *App) complete() error {
	if a.service.Spec.ClusterIP == corev1.ClusterIPNone {
		return fmt.Errorf("service: %s is headless, so that its clients choose pods themselves: name one with a ClusterIP", a.service.Name)
	}
	if len(a.service.Spec.Ports) == 0 {
		return fmt.Errorf("service: %s has no port", a.service.Name)
	}
	template, replicas := a.template(), a.replicas()
	for key, value := range a.service.Spec.Selector {
		if template.Labels[key] != value {
			return fmt.Errorf("service: %s selects %s=%s, which the pods of %s do not have", a.service.Name, key, value, a.document.Workload.Name)
		}
	}
	for _, v := range []Version{a.document.Old, a.document.New} {
		if _, err := a.container(template, v); err != nil {
			return err
		}
	}
	for _, containers := range [][]corev1.Container{template.Spec.InitContainers, template.Spec.Containers} {
		for i := range containers {
			if containers[i].ImagePullPolicy == corev1.PullAlways {
				containers[i].ImagePullPolicy = corev1.PullIfNotPresent
				a.known.Adapted = append(a.known.Adapted, "container "+containers[i].Name+" is pulled only where it is not present")
			}
		}
	}
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	template.Labels[fixtures.ManagedByLabel] = fixtures.Owner
	container, _ := a.container(template, a.document.Old)
	a.known.Named = a.Protocol().Names()
	a.known.Probed = container.ReadinessProbe != nil
	a.known.Grace = time.Duration(ptr.Deref(template.Spec.TerminationGracePeriodSeconds, 30)) * time.Second
	a.known.Replicas = int(replicas)
	if hook := container.Lifecycle; hook != nil && hook.PreStop != nil {
		if hook.PreStop.Sleep != nil {
			a.known.PreStop = time.Duration(hook.PreStop.Sleep.Seconds) * time.Second
		} else {
			a.known.OtherHook = true
		}
	}
	if d, ok := a.workload.(*appsv1.Deployment); ok {
		a.known.Recreate = d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType
	}
	return nil
}

// template is the workload's.
func (a *App) template() *corev1.PodTemplateSpec {
	if d, ok := a.workload.(*appsv1.Deployment); ok {
		return &d.Spec.Template
	}
	return &a.workload.(*appsv1.StatefulSet).Spec.Template
}

// replicas is what the manifest names; 0 if it names none.
func (a *App) replicas() int32 {
	if d, ok := a.workload.(*appsv1.Deployment); ok {
		return ptr.Deref(d.Spec.Replicas, 0)
	}
	return ptr.Deref(a.workload.(*appsv1.StatefulSet).Spec.Replicas, 0)
}

// container is the one that a version is about.
func (a *App) container(template *corev1.PodTemplateSpec, v Version) (*corev1.Container, error) {
	i := 0
	if v.Container != "" {
		i = slices.IndexFunc(template.Spec.Containers, func(c corev1.Container) bool { return c.Name == v.Container })
	}
	if i < 0 || i >= len(template.Spec.Containers) {
		return nil, fmt.Errorf("container: %s has no container %q", a.document.Workload.Name, v.Container)
	}
	return &template.Spec.Containers[i], nil
}

// at is the pod template at a version.
func (a *App) at(v Version) corev1.PodTemplateSpec {
	template := a.template().DeepCopy()
	container, err := a.container(template, v)
	if err != nil {
		panic(err) // Read has looked
	}
	container.Image = cmp.Or(v.Image, container.Image)
	for _, name := range slices.Sorted(maps.Keys(v.Env)) {
		i := slices.IndexFunc(container.Env, func(e corev1.EnvVar) bool { return e.Name == name })
		if i < 0 {
			i, container.Env = len(container.Env), append(container.Env, corev1.EnvVar{Name: name})
		}
		container.Env[i] = corev1.EnvVar{Name: name, Value: v.Env[name]}
	}
	template.Labels[VersionLabel] = v.Name
	return *template
}

// Known is what advice can be drawn from.
func (a *App) Known() *evidence.UserApp { return &a.known }

// Protocol is how the app is asked.
func (a *App) Protocol() *loadgen.Protocol { return a.document.protocol() }

// Path is what is asked for.
func (a *App) Path() string { return cmp.Or(a.document.Request.Path, "/") }

// Rate is how many requests per second every lane sends.
func (a *App) Rate() int { return a.document.rate() }

// PodSecurity is the standard that the namespace has to admit.
func (a *App) PodSecurity() string { return cmp.Or(a.document.PodSecurity, "restricted") }

// Service is the name of the one whose clients are asked about.
func (a *App) Service() string { return a.document.Service }

// Name is the workload's, as kind and name.
func (a *App) Name() string { return a.document.Workload.Kind + " " + a.document.Workload.Name }

// Images are those of the workload at both versions.
func (a *App) Images() []string {
	var images []string
	for _, v := range []Version{a.document.Old, a.document.New} {
		template := a.at(v)
		for _, container := range slices.Concat(template.Spec.InitContainers, template.Spec.Containers) {
			images = append(images, container.Image)
		}
	}
	slices.Sort(images)
	return slices.Compact(images)
}
