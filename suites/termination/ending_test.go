package termination

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// watched returns a watch that reports the objects, the first as existing and the last as deleted.
func watched[T runtime.Object](objects ...T) watch.Interface {
	events := watch.NewFakeWithChanSize(len(objects), false)
	for i, object := range objects {
		switch i {
		case 0:
			events.Add(object)
		case len(objects) - 1:
			events.Delete(object)
		default:
			events.Modify(object)
		}
	}
	return events
}

func TestPodChanges(t *testing.T) {
	pod := func(phase corev1.PodPhase, deleting bool) *corev1.Pod {
		p := &corev1.Pod{Status: corev1.PodStatus{Phase: phase}}
		if deleting {
			p.DeletionTimestamp = new(metav1.Now())
		}
		return p
	}
	const deleted, succeeded = "MODIFIED deletionTimestamp", "MODIFIED phase Succeeded"
	for _, row := range []struct {
		sentence string
		seen     []*corev1.Pod
		want     []string
	}{
		{"a pod drains and ends", []*corev1.Pod{pod("Running", false), pod("Running", true), pod("Running", true), pod("Succeeded", true),
			pod("Succeeded", true)}, []string{deleted, succeeded, "DELETED"}},
		{"what changes before the deletion is not part of its end", []*corev1.Pod{pod("Pending", false), pod("Running", false),
			pod("Running", true), pod("Running", true)}, []string{deleted, "DELETED"}},
		{"a pod is gone at once", []*corev1.Pod{pod("Running", false), pod("Running", true)}, []string{"DELETED"}},
	} {
		got, last := podChanges(t.Context(), watched(row.seen...))
		if !slices.Equal(got, row.want) || last != row.seen[len(row.seen)-1] {
			t.Errorf("%s: %q, want %q; last %v", row.sentence, got, row.want, last.Status.Phase)
		}
	}
}

func TestEndpointChanges(t *testing.T) {
	slice := func(said string) *discoveryv1.EndpointSlice {
		s := &discoveryv1.EndpointSlice{}
		if said != "" {
			s.Endpoints = []discoveryv1.Endpoint{{Conditions: discoveryv1.EndpointConditions{
				Ready: new(said[0] == 'T'), Serving: new(said[1] == 'T'), Terminating: new(said[2] == 'T')}}}
		}
		return s
	}
	for _, row := range []struct {
		sentence string
		seen     []string // of each slice the conditions of its endpoint; empty: it has none
		want     string
	}{
		{"it serves until its pod ends", []string{"TTF", "FTT", "FTT", ""}, "TTF FTT gone"},
		{"its pod fails its readiness", []string{"TTF", "FTT", "FFT", ""}, "TTF FTT FFT gone"},
		{"the slice goes with the endpoint in it", []string{"TTF", "FTT", "FTT"}, "TTF FTT gone"},
		{"what follows the end is not looked at", []string{"TTF", "", "TTF"}, "TTF gone"},
	} {
		var list []*discoveryv1.EndpointSlice
		for _, said := range row.seen {
			list = append(list, slice(said))
		}
		if got := strings.Join(endpointChanges(t.Context(), watched(list...)), " "); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
