package runner

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/evidence"
)

func TestTrialOfAKeptCluster(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	usual := evidence.Trial{PodStart: 1600, RuleLag: 700, Stretch: 1}
	slow := evidence.Trial{PodStart: 13000, RuleLag: 700, Stretch: 3}
	for _, row := range []struct {
		sentence string
		had      *keptTrial
		stands   bool
	}{
		{"it was never tried", nil, false},
		{"just now", &keptTrial{usual, now}, true},
		{"an hour ago", &keptTrial{usual, now.Add(-time.Hour)}, true},
		{"longer ago", &keptTrial{usual, now.Add(-time.Hour - time.Second)}, false},
		{"it was slow", &keptTrial{slow, now}, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			client := fake.NewClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem}})
			if row.had != nil {
				if err := row.had.keep(t.Context(), client); err != nil {
					t.Fatal(err)
				}
			}
			got := trialOf(t.Context(), client, now)
			if (got != nil) != row.stands || row.stands && *got != *row.had {
				t.Errorf("%+v", got)
			}
		})
	}
}
