package during

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A states has the app's workloads and Service, by their names in words, each as a text that differs once somebody changed it.
type states map[string]string

// states returns the objects that can be read. A workload that a controller only reports the status of stays the same.
func (a *userApp) states(ctx context.Context) states {
	all := states{}
	for _, w := range a.workloads {
		if object, err := w.api.Get(ctx, w.name, metav1.GetOptions{}); err == nil {
			all[w.String()] = specified(object.GetUID(), object.GetGeneration())
		}
	}
	if service, err := a.client.CoreV1().Services(a.namespace).Get(ctx, a.service, metav1.GetOptions{}); err == nil {
		all["service "+a.service] = specified(service.UID, specOf(service)) // Services have no generation
	}
	return all
}

func specified(uid types.UID, spec any) string { return fmt.Sprint(uid, " ", spec) }

func specOf(service *corev1.Service) string {
	spec, _ := json.Marshal(service.Spec)
	return string(spec)
}

// changed names what differs between two states, of what could be read both times.
func (before states) changed(after states) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if is, read := after[name]; read && is != before[name] {
			names = append(names, name)
		}
	}
	return strings.Join(names, " and ")
}
