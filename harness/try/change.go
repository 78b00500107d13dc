package try

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/manifest/chart"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
)

// A Change is what is rolled out: another image, other manifests, or the same pods again. Its zero value is a restart.
type Change struct {
	container, image string
	objects          []manifest.Object
	deployHooks      []manifest.Object // of Helm and Argo CD, beside objects
	from             string            // that objects were read from, without secrets
}

// NewChange parses what to roll out: empty for a restart, image=REF, CONTAINER=REF, a file, folder or URL of manifests, or a Helm chart,
// which gets the values of s.
func NewChange(a *App, to string, s manifest.Sources) (c Change, err error) {
	name, image, is := strings.Cut(to, "=")
	is = is && !strings.Contains(to, "://") // a URL may have parameters
	flag := "--to=" + secret.URLs(to)
	switch {
	case to == "":
		return c, nil
	case is && image == "":
		return c, usage.New(flag, "it has no image", "write it like "+name+"=shop/web:v2")
	case is && name == "image":
		return Change{container: a.answers().Name, image: image}, nil
	case is && a.listWith(name) == "":
		return c, usage.New(flag, fmt.Sprintf("%s has no container %s", a.workload, name),
			"write it like image=web:v2, or name a file or a folder")
	case is:
		return Change{container: name, image: image}, nil
	}
	s.Kustomize = ""
	if s.Files, s.Chart = []string{to}, ""; chart.Is(to) {
		s.Files, s.Chart = nil, to
	}
	objects, err := manifest.Read(s)
	if err != nil {
		return c, err
	}
	c = changeTo(objects, secret.URLs(to))
	if !slices.ContainsFunc(c.objects, a.workload.Same) {
		return c, usage.New(flag, fmt.Sprintf("it has no %s", a.workload), "name manifests of the app's next version")
	}
	return c, nil
}

// changeTo returns the change that applies objects.
func changeTo(objects []manifest.Object, from string) Change {
	c := Change{from: from}
	c.objects, c.deployHooks = apart(objects)
	return c
}

// listWith returns the list of the pod template that has a container of that name; empty if none has.
func (a *App) listWith(name string) string {
	named := func(of corev1.Container) bool { return of.Name == name }
	switch {
	case slices.ContainsFunc(a.template.Spec.Containers, named):
		return "containers"
	case slices.ContainsFunc(a.template.Spec.InitContainers, named):
		return "initContainers"
	default:
		return ""
	}
}

// Does describes the change in words.
func (c Change) Does(a *App) string {
	switch {
	case c.image != "" && c.container != a.answers().Name:
		return fmt.Sprintf("%s gets image %s for container %s", a.workload, c.image, c.container)
	case c.image != "":
		return fmt.Sprintf("%s gets image %s", a.workload, c.image)
	case len(c.objects) > 0:
		return fmt.Sprintf("the manifests of %s are applied", c.from)
	default:
		return fmt.Sprintf("%s restarts, as by kubectl rollout restart", a.workload)
	}
}

// Images returns the images that the change needs.
func (c Change) Images() []string {
	if c.image != "" {
		return []string{c.image}
	}
	return manifest.Images(c.applied())
}

// restartedAt is the annotation that kubectl rollout restart writes (kubectl v0.37, pkg/polymorphichelpers/objectrestarter.go).
const restartedAt = "kubectl.kubernetes.io/restartedAt"

// do makes the change.
func (c Change) do(ctx context.Context, a *App, to *target) error {
	if len(c.objects) > 0 {
		return to.upgrade(ctx, a, c)
	}
	is := map[string]any{"metadata": map[string]any{"annotations": map[string]any{restartedAt: time.Now().Format(time.RFC3339)}}}
	if c.image != "" {
		is = map[string]any{"spec": map[string]any{a.listWith(c.container): []any{map[string]any{"name": c.container, "image": c.image}}}}
	}
	return to.patch(ctx, a.workload, inTemplate(is))
}
