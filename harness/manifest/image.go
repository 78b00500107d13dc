package manifest

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Images returns the images of all pods in the manifests, sorted.
func Images(objects []Object) (images []string) {
	for _, o := range objects {
		for _, c := range ContainersOf(o) {
			images = append(images, c.Image)
		}
	}
	slices.Sort(images)
	return slices.Compact(images)
}

// SetImage gives the containers whose image has a name another image. The name is that of a container's image, with or without its tag and
// digest. It reports whether there is such a container.
func SetImage(objects []Object, name, image string) (found bool) {
	for _, o := range objects {
		for _, list := range []string{"initContainers", "containers"} {
			value, _, _ := unstructured.NestedFieldNoCopy(o.Object, append(podAt(o), "spec", list)...)
			containers, _ := value.([]any)
			for _, item := range containers {
				c, _ := item.(map[string]any)
				if has, _ := c["image"].(string); has != "" && (has == name || untagged(has) == name) {
					c["image"], found = image, true
				}
			}
		}
	}
	return found
}

// untagged returns a reference without its tag and digest. The colon of a registry's port stands before a slash.
func untagged(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndexByte(image, ':'); i > strings.LastIndexByte(image, '/') {
		return image[:i]
	}
	return image
}
