package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/secret"
)

//go:generate go test . -update

// planted must not be in any file.
const planted = "hunter-two"

// named returns the metadata of an object that kubectl applied.
func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: namespace, Name: name,
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl-" + planted}},
		Annotations:   map[string]string{corev1.LastAppliedConfigAnnotation: planted, "vault/token": planted, "kept": "yes"},
	}
}

// podSpec has a secret wherever the owner of a pod can write one.
func podSpec() corev1.PodSpec {
	get := &corev1.HTTPGetAction{Path: "/a?token=" + planted, HTTPHeaders: []corev1.HTTPHeader{{Name: "Authorization", Value: planted},
		{Name: "X-Shop", Value: planted}}}
	run := &corev1.ExecAction{Command: []string{"sh", "-c", "curl -u me:" + planted + " -H 'X-Api-Key: " + planted + "' localhost"}}
	env := []corev1.EnvVar{{Name: "PASSWORD", Value: planted}, {Name: "A", Value: planted},
		{Name: "TOKEN", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "token"}}}}
	return corev1.PodSpec{
		ImagePullSecrets: []corev1.LocalObjectReference{{Name: "pull"}},
		InitContainers:   []corev1.Container{{Name: "init", Env: env, Command: []string{"migrate", "--password", planted}}},
		Containers: []corev1.Container{{Name: "echo", Env: env,
			Args:           []string{"--token", planted, "--db=postgres://me:" + planted + "@db/", "--api-key=" + planted, "DB_PASS=" + planted},
			StartupProbe:   &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: get}},
			LivenessProbe:  &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: run}},
			ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: get}},
			Lifecycle:      &corev1.Lifecycle{PostStart: &corev1.LifecycleHandler{HTTPGet: get}, PreStop: &corev1.LifecycleHandler{Exec: run}}}},
		EphemeralContainers: []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Env: env}}},
		Volumes: []corev1.Volume{
			{Name: "csi", VolumeSource: corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{VolumeAttributes: map[string]string{"token": planted}}}},
			{Name: "flex", VolumeSource: corev1.VolumeSource{FlexVolume: &corev1.FlexVolumeSource{Options: map[string]string{"pwd": planted}}}}},
	}
}

// objects returns an app with one pod, which restarted once, on a cluster with one node.
func objects() []runtime.Object {
	restarted := corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "echo", RestartCount: 1}}}
	return []runtime.Object{
		&corev1.Pod{ObjectMeta: named("app", "echo-a"), Spec: podSpec(), Status: restarted},
		&appsv1.Deployment{ObjectMeta: named("app", "echo"), Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: podSpec()}}},
		&discoveryv1.EndpointSlice{ObjectMeta: named("app", "echo-slice")},
		&corev1.Secret{ObjectMeta: named("app", "token"), StringData: map[string]string{"token": planted}},
		&corev1.Secret{ObjectMeta: named("app", "pull"), Type: corev1.SecretTypeDockerConfigJson,
			Data: map[string][]byte{corev1.DockerConfigJsonKey: []byte(planted)}},
		&corev1.ConfigMap{ObjectMeta: named("app", "settings"), Data: map[string]string{"password": planted}},
		&corev1.Event{ObjectMeta: named("app", "late"), Message: "app is late: http://me:" + planted + "@10.0.0.7/"},
		&corev1.Pod{ObjectMeta: named("elsewhere", "another-app")},
		&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-proxy-x", Labels: map[string]string{"k8s-app": "kube-proxy"}},
			Status:     corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "kube-proxy"}}},
		},
		&corev1.Pod{ObjectMeta: named("kube-system", "coredns"), Status: restarted},
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker", Annotations: map[string]string{"k3s.io/node-args": planted}}},
	}
}

// answers has the output of a node in nftables mode.
func answers(_ context.Context, node, line string) (string, error) {
	switch program, _, _ := strings.Cut(line, " "); program {
	case "cat":
		return "", errors.New("cat: /proc/net/ip_vs:\n  no such file")
	case "conntrack":
		return "cpu=0 found=1\n", errors.New("conntrack: exit status 1")
	case "journalctl":
		return "probe failed: Get \"http://10.0.0.7/a?token=" + planted + "\": " + line + "\n", nil
	default:
		return node + " says " + line + "\n", nil
	}
}

func collect(t *testing.T, from source) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "evidence", "diagnostics")
	if err := collectDiagnostics(t.Context(), dir, from); err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func has(t *testing.T, files map[string]string, name string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(files[name], text) {
			t.Errorf("%s lacks %q:\n%s", name, text, files[name])
		}
	}
}

func TestWhatIsCollected(t *testing.T) {
	client := fake.NewClientset(objects()...)
	files := collect(t, source{Client: client, Namespace: "app", OnNode: answers, Proxy: dataplane.KubeProxy, Nodes: []string{"worker"}})

	golden.File(t, "testdata/diagnostics.txt", files["README.txt"])
	for name, text := range files {
		for _, never := range []string{planted, "managedFields", "another-app"} {
			if strings.Contains(text, never) {
				t.Errorf("%s has %s:\n%s", name, never, text)
			}
		}
		if n := strings.Count(files["README.txt"], "  "+name+", "); n != 1 && name != "README.txt" {
			t.Errorf("README.txt names %s %d times", name, n)
		}
	}
	for _, action := range client.Actions() {
		if resource := action.GetResource().Resource; resource == "secrets" || resource == "configmaps" || action.GetVerb() != "list" &&
			action.GetVerb() != "get" {
			t.Errorf("it asked to %s %s", action.GetVerb(), resource)
		}
	}
	has(t, files, "pods.yaml", "name: echo-a", "name: PASSWORD\n        value: "+secret.Withheld, "key: token", "kept: \"yes\"")
	has(t, files, "deployments.yaml", "value: "+secret.Withheld)
	has(t, files, "endpointslices.yaml", "name: echo-slice")
	has(t, files, "logs/app/echo-a/echo.previous.log", "fake logs")
	has(t, files, "nodes/worker/kubelet.log", "--lines=500")
	has(t, files, "nodes/worker/conntrack.txt", "found=1")
	has(t, files, "events.yaml", "app is late: http://"+secret.Withheld+"@10.0.0.7/")
}

func TestLogsAreAskedForWithinBounds(t *testing.T) {
	client := fake.NewClientset(objects()...)
	collect(t, source{Client: client, Namespace: "app"})
	asked := 0
	for _, action := range client.Actions() {
		if action.GetSubresource() != "log" {
			continue
		}
		asked++
		options := action.(clienttesting.GenericAction).GetValue().(*corev1.PodLogOptions)
		if options.TailLines == nil || *options.TailLines != 200 || options.LimitBytes == nil || *options.LimitBytes > 1<<20+1 {
			t.Errorf("%+v", options)
		}
	}
	if asked != 3 {
		t.Errorf("%d logs, want those of the app, the one before and kube-proxy's", asked)
	}
}

func TestWhatCannotBeHadIsWrittenDown(t *testing.T) {
	for _, row := range []struct {
		sentence string
		from     func(*fake.Clientset) source
		says     []string
		has      []string
	}{
		{"a cluster without a way to its nodes", func(c *fake.Clientset) source { return source{Client: c, Namespace: "app"} },
			[]string{"nodes: there is no way to run a command on a node"}, []string{"pods.yaml"}},
		{"an API server that refuses everything", func(c *fake.Clientset) source {
			refuse(c, "*")
			return source{Client: c, Namespace: "app", OnNode: answers, Proxy: dataplane.KubeProxy, Nodes: []string{"worker"}}
		}, []string{"pods.yaml: it is down", "logs/app: it is down", "logs/kube-system: it is down"}, []string{"nodes/worker/kubelet.log"}},
		{"a kind that may not be read", func(c *fake.Clientset) source {
			refuse(c, "statefulsets")
			return source{Client: c, Namespace: "app"}
		}, []string{"statefulsets.yaml: it is down"}, []string{"pods.yaml", "daemonsets.yaml", "logs/app/echo-a/echo.log"}},
		{"a node whose name leads out of the folder", func(c *fake.Clientset) source {
			return source{Client: c, Namespace: "app", OnNode: answers, Proxy: dataplane.KubeProxy, Nodes: []string{"../../../up"}}
		}, []string{"../up/kubelet.log: "}, []string{"pods.yaml"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			files := collect(t, row.from(fake.NewClientset(objects()...)))
			has(t, files, "README.txt", row.says...)
			for _, name := range row.has {
				if files[name] == "" {
					t.Errorf("%s is missing; README.txt:\n%s", name, files["README.txt"])
				}
			}
		})
	}
}

func refuse(c *fake.Clientset, resource string) {
	c.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("it is down") })
}

func TestWhatIsCollectedIsBounded(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	flood := func(context.Context, string, string) (string, error) { return strings.Repeat(line, 20_000), nil }
	var nodes []string
	for i := range 30 {
		nodes = append(nodes, fmt.Sprintf("worker%d", i))
	}
	files := collect(t, source{Client: fake.NewClientset(objects()...), Namespace: "app", OnNode: flood, Proxy: dataplane.KubeProxy,
		Nodes: nodes})
	total := 0
	for name, text := range files {
		if total += len(text); len(text) > 1<<20 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
	}
	if total > 20<<20 || total < 18<<20 {
		t.Errorf("%d bytes in all", total)
	}
	has(t, files, "README.txt", "cut after 1048500 bytes", "cut after 0 bytes")
}

func TestANodeThatHangsHoldsUpNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		files := collect(t, source{Client: fake.NewClientset(objects()...), Namespace: "app", Nodes: []string{"hung", "worker"},
			Proxy: dataplane.KubeProxy, OnNode: func(ctx context.Context, node, line string) (string, error) {
				if node != "hung" {
					return answers(ctx, node, line)
				}
				<-ctx.Done()
				return "", context.Cause(ctx)
			}})
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("it took %s", took)
		}
		has(t, files, "README.txt", "nodes/hung/kubelet.log: collecting took longer than 30s", "nodes/worker/kubelet.log, ")
	})
}

func TestAFolderThatCannotBeMadeIsTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err := collectDiagnostics(t.Context(), filepath.Join(file, "diagnostics"), source{Client: fake.NewClientset(), Namespace: "app"})
	if err == nil || !strings.Contains(err.Error(), "diagnostics: open folder: ") {
		t.Errorf("error %v", err)
	}
}
