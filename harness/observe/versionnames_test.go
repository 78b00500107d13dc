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
		{"a variable by its values", env("VERSION", "v1"), env("VERSION", "v2"), "VERSION=v1", "VERSION=v2"},
		{"a variable that only one pod has", func(*corev1.Pod) {}, env("LOG", "debug"), "without LOG", "LOG=debug"},
		{"a variable without a value", env("LOG", ""), env("LOG", "debug"), "LOG=", "LOG=debug"},
		{"a label by its values", label("track", "1"), label("track", "2"), "track=1", "track=2"},
		{"a variable and a label", func(p *corev1.Pod) { env("A", "1")(p); label("tier", "a")(p) }, env("A", "2"),
			"A=1 and tier=a", "A=2 and without tier"},
		{"more than two by their names", env("A", "1", "B", "1"), func(p *corev1.Pod) { env("A", "2", "B", "2")(p); label("tier", "a")(p) },
			"old env A, B and label tier", "new env A, B and label tier"},
		{"one whose name says that it is secret", env("DB_PASSWORD", "abc"), env("DB_PASSWORD", "def"), "old env DB_PASSWORD",
			"new env DB_PASSWORD"},
		{"one whose value has a secret", env("BACKEND", "http://back/?key=abc"), env("BACKEND", "http://back/"), "old env BACKEND",
			"new env BACKEND"},
		{"one whose value may have a password", env("DSN", "jane:abc@tcp(db)"), env("DSN", "jane:def@tcp(db)"), "old env DSN", "new env DSN"},
		{"one whose value is elsewhere", env("LEVEL", "1"), func(p *corev1.Pod) {
			env("LEVEL", "")(p)
			p.Spec.Containers[0].Env[0].ValueFrom = &corev1.EnvVarSource{}
		}, "old env LEVEL", "new env LEVEL"},
		{"one that has several lines", env("TEXT", "a\nb"), env("TEXT", "a"), "old env TEXT", "new env TEXT"},
		{"one with other values in two containers", twice("A", "1", "1"), twice("A", "1", "2"), "old env A", "new env A"},
		{"one with the same value in two containers", twice("A", "1", "1"), twice("A", "2", "2"), "A=1", "A=2"},
		{"a long value by its begin", env("COLOURS", "red, yellow, blue, green"), env("COLOURS", "yellow, red, blue, green"),
			"COLOURS=red, yellow, blue, …", "COLOURS=yellow, red, blue, …"},
		{"long values with the same begin by the name", env("COLOURS", "red, yellow, blue, green"),
			env("COLOURS", "red, yellow, blue, white"), "old env COLOURS", "new env COLOURS"},
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

// env sets variables, given by names and values.
func env(namesAndValues ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers[0].Env = nil
		for i := 0; i < len(namesAndValues); i += 2 {
			p.Spec.Containers[0].Env = append(p.Spec.Containers[0].Env, corev1.EnvVar{Name: namesAndValues[i], Value: namesAndValues[i+1]})
		}
	}
}

// twice sets a variable in two containers.
func twice(name, value, other string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		env(name, value)(p)
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "other", Env: []corev1.EnvVar{{Name: name, Value: other}}})
	}
}

func label(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Labels = map[string]string{key: value} }
}

func restartAt(at string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { metav1.SetMetaDataAnnotation(&p.ObjectMeta, restartedAt, at) }
}
