package harness

import (
	"cmp"
	"context"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/util/deployment"

	"example.com/rollcall/fixtures"
)

// ReplicaSets returns all ReplicaSets in the scenario's namespace.
func (s *Steps) ReplicaSets(ctx context.Context) []appsv1.ReplicaSet {
	return Must(s.Client.AppsV1().ReplicaSets(s.Namespace).List(ctx, metav1.ListOptions{})).Items
}

// History returns the revisions that `kubectl rollout history` lists, each with its ReplicaSet's version and earlier revisions,
// such as "2 v2, 3 v1 that was 1".
func (s *Steps) History(ctx context.Context) string {
	sets := s.ReplicaSets(ctx)
	slices.SortFunc(sets, func(a, b appsv1.ReplicaSet) int {
		return cmp.Compare(Must(deployment.Revision(&a)), Must(deployment.Revision(&b)))
	})
	lines := make([]string, len(sets))
	for i, rs := range sets {
		lines[i] = rs.Annotations[deployment.RevisionAnnotation] + " " + rs.Spec.Template.Labels[fixtures.VersionLabel]
		if was := rs.Annotations[deployment.RevisionHistoryAnnotation]; was != "" {
			lines[i] += " that was " + was
		}
	}
	return strings.Join(lines, ", ")
}
