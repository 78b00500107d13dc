package observe

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestVersionsAreKnownByWhatDiffers(t *testing.T) {
	const digest = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"
	for _, row := range []struct {
		sentence      string
		old, next     func(*corev1.Pod)
		before, after string
	}{
		{"an image by its tag", image("reg.example/shop/web:1.4"), image("reg.example/shop/web:1.5"), "web:1.4", "web:1.5"},
		{"an image by the first digits of its digest", image("reg.example/web" + digest + "1"), image("reg.example/web:2" + digest + "2"),
			"web@sha256:0123456789ab", "web:2@sha256:0123456789ab"},
		{"an image that moved to another registry", image("a.example/web:1"), image("b.example/web:1"), "a.example/web:1", "b.example/web:1"},
		{"the image counts, not what else differs", func(p *corev1.Pod) { image("web:1")(p); label("tier", "a")(p) }, image("web:2"),
			"web:1", "web:2"},
		{"the image of an init container, which may have the release", func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{{Name: "copy", Image: "release:1"}}
		}, func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{{Name: "copy", Image: "release:2"}}
		}, "release:1", "release:2"},
		{"the environment by name, for its value may be a secret", env("TOKEN", "abc"), env("TOKEN", "def"), "old env TOKEN", "new env TOKEN"},
		{"a variable that only one pod has", func(*corev1.Pod) {}, env("LOG", "debug"), "old env LOG", "new env LOG"},
		{"the environment and labels", func(p *corev1.Pod) { env("A", "1")(p); label("tier", "a")(p) }, env("A", "2"),
			"old env A and label tier", "new env A and label tier"},
		{"labels that workloads set are not the template's", label("pod-template-hash", "x"), label("statefulset.kubernetes.io/pod-name", "y"),
			"before the restart", "before the restart"},
		{"a restart, by UTC", func(*corev1.Pod) {}, restartAt("2026-11-26T19:04:05+01:00"), "before the restart", "restarted 18:04:05"},
		{"two restarts", restartAt("2026-11-26T17:00:00Z"), restartAt("2026-11-26T18:04:05Z"), "restarted 17:00:00",
			"restarted 18:04:05"},
	} {
		a, b := podLike(row.old), podLike(row.next)
		before, after := difference(a, b)
		if before != row.before || after != row.after {
			t.Errorf("%s: %q and %q, want %q and %q", row.sentence, before, after, row.before, row.after)
		}
	}
}

func TestVersionsOfPods(t *testing.T) {
	sidecar := func(p *corev1.Pod) {
		image("reg.example/shop/web:2")(p)
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "proxy", Image: "proxy:1"})
	}
	for _, row := range []struct {
		sentence string
		pod      func(*corev1.Pod)
		want     string
	}{
		{"of a Deployment", label("pod-template-hash", "7f9c"), "7f9c"},
		{"of a DaemonSet", label("controller-revision-hash", "5d8b"), "5d8b"},
		{"made by hand, by its image", image("reg.example/shop/web:2"), "web:2"},
		{"of two containers", sidecar, "web:2 and proxy:1"},
	} {
		if p := podLike(row.pod); VersionOf(p.Labels, p.Spec) != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, VersionOf(p.Labels, p.Spec), row.want)
		}
	}
}

func TestVersionsOfARolloutThatDidNotEnd(t *testing.T) {
	made := func(minute int) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Unix(int64(minute)*60, 0)}}
	}
	for _, row := range []struct {
		sentence string
		samples  map[string]*corev1.Pod
		want     string
	}{
		{"only the old one was seen", map[string]*corev1.Pod{"old": made(1)}, ""},
		{"another began", map[string]*corev1.Pod{"old": made(1), "next": made(2)}, "next"},
		{"of several the last that began", map[string]*corev1.Pod{"old": made(1), "b": made(3), "a": made(4), "c": made(2)}, "a"},
		{"one that was there before the old one's first pod seen", map[string]*corev1.Pod{"old": made(2), "next": made(1)}, "next"},
	} {
		if got := newestExcept("old", row.samples); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}

func podLike(change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:0"}}}}
	change(p)
	return p
}

func image(is string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.Containers[0].Image = is }
}

func env(name, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: name, Value: value}} }
}

func label(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Labels = map[string]string{key: value} }
}

func restartAt(at string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { metav1.SetMetaDataAnnotation(&p.ObjectMeta, restartedAt, at) }
}
