package staging

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func list(pairs ...string) corev1.ResourceList {
	l := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		l[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return l
}

func TestShortOf(t *testing.T) {
	need := needOf(2)
	for _, row := range []struct {
		sentence   string
		hard, used corev1.ResourceList
		short      string
	}{
		{"none is limited", nil, nil, ""},
		{"there is room", list("pods", "100", "requests.cpu", "8", "limits.memory", "8Gi"), nil, ""},
		{"others use what there is", list("pods", "100"), list("pods", "90"), "quota team leaves 10 of pods, and up to 28 are needed"},
		{"processors are short", list("requests.cpu", "500m"), nil, "quota team leaves 500m of requests.cpu, and up to 1520m are needed"},
		{"what we never ask for is not our concern", list("requests.storage", "0"), nil, ""},
	} {
		quota := corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "team"},
			Status: corev1.ResourceQuotaStatus{Hard: row.hard, Used: row.used}}
		if got := shortOf(need, []corev1.ResourceQuota{quota}); got != row.short {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.short)
		}
	}
}

func TestForbids(t *testing.T) {
	for _, row := range []struct {
		sentence string
		item     corev1.LimitRangeItem
		against  string
	}{
		{"it allows us", corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: list("cpu", "2", "memory", "1Gi"),
			Min: list("cpu", "10m")}, ""},
		{"it wants more", corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: list("memory", "64Mi")},
			"wants 64Mi of memory for a container at least, and ours ask for 32Mi"},
		{"it allows less", corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: list("cpu", "500m")},
			"allows 500m of cpu for a container, and ours ask for 1"},
		{"it is about volumes", corev1.LimitRangeItem{Type: corev1.LimitTypePersistentVolumeClaim, Min: list("storage", "1Gi")}, ""},
	} {
		got := forbids([]corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{row.item}}}})
		if (got == "") != (row.against == "") || !strings.Contains(got, row.against) {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.against)
		}
	}
}
