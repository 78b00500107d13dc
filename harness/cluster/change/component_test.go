package change

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/kube"
)

func TestSkew(t *testing.T) {
	for _, row := range []struct {
		sentence  string
		name      kube.Component
		version   string
		apiServer string
		because   string
	}{
		{"a kubelet of the same version", kube.Kubelet, "v1.36.3", "v1.36.3", ""},
		{"a kubelet three minor versions older", kube.Kubelet, "v1.33.0", "v1.36.3", ""},
		{"one that is four older", kube.Kubelet, "v1.32.9", "v1.36.3",
			"kubelet v1.32.9 does not go with an API server of v1.36.3: use v1.33 to v1.36.3"},
		{"a kube-proxy that is newer by a patch", kube.KubeProxy, "v1.36.4", "v1.36.3",
			"kube-proxy v1.36.4 does not go with an API server of v1.36.3: use v1.33 to v1.36.3"},
		{"a controller manager one minor version older", kube.ControllerManager, "v1.35.0", "v1.36.3", ""},
		{"one that is two older", kube.ControllerManager, "v1.34.0", "v1.36.3",
			"kube-controller-manager v1.34.0 does not go with an API server of v1.36.3: use v1.35 to v1.36.3"},
		{"no version", kube.Kubelet, "newest", "v1.36.3", `could not parse "newest" as version`},
	} {
		if because := (component{row.name, row.version}).skewed(row.apiServer); because != row.because {
			t.Errorf("%s: %q, want %q", row.sentence, because, row.because)
		}
	}
}

func TestControllerManagerManifest(t *testing.T) {
	const manifest = `apiVersion: v1
kind: Pod
metadata: {name: kube-controller-manager, namespace: kube-system}
spec:
  hostNetwork: true
  containers:
  - name: kube-controller-manager
    command: [kube-controller-manager, --leader-elect=true]
    volumeMounts: [{mountPath: /etc/ssl/certs, name: ca-certs, readOnly: true}]
  volumes: [{name: ca-certs, hostPath: {path: /etc/ssl/certs, type: DirectoryOrCreate}}]
`
	changed, err := editPod(manifest, useManagerFile)
	if err != nil {
		t.Fatal(err)
	}
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict(changed, &pod); err != nil {
		t.Fatal(err)
	}
	mounts, volumes := pod.Spec.Containers[0].VolumeMounts, pod.Spec.Volumes
	if len(mounts) != 2 || len(volumes) != 2 || mounts[1].Name != volumes[1].Name || volumes[1].HostPath.Path != managerFile ||
		mounts[1].MountPath != "/usr/local/bin/kube-controller-manager" || !pod.Spec.HostNetwork {
		t.Errorf("it became\n%s", changed)
	}
	if _, err := editPod(strings.Replace(manifest, "containers:", "sidecars:", 1), useManagerFile); err == nil {
		t.Error("a manifest with an unknown field is taken")
	}
}
