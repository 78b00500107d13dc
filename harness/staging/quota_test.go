package staging

import (
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
		{"a quota without limits", nil, nil, ""},
		{"there is room", list("pods", "100", "requests.cpu", "8", "limits.memory", "8Gi"), nil, ""},
		{"others use what there is", list("pods", "100"), list("pods", "90"), "quota team leaves 10 of pods, and up to 28 are needed"},
		{"processors are short", list("requests.cpu", "500m"), nil, "quota team leaves 500m of requests.cpu, and up to 1520m are needed"},
		{"a resource that we never use", list("requests.storage", "0"), nil, ""},
	} {
		quota := corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "team"},
			Status: corev1.ResourceQuotaStatus{Hard: row.hard, Used: row.used}}
		if got := shortOf(need, []corev1.ResourceQuota{quota}); got != row.short {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.short)
		}
	}
}
