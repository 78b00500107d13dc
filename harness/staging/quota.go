package staging

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/usage"
)

// needOf returns the most that any scenario needs in its namespace, with agents on a number of nodes. The number of pods is that of a
// scenario with twelve pods, all replaced at once, beside pods that are not rolled out.
func needOf(nodes int) corev1.ResourceList {
	const appPods = 24 + fixtures.MostControls
	quantity := func(base, perAgent int64, unit string) resource.Quantity {
		return resource.MustParse(fmt.Sprintf("%d%s", base+perAgent*int64(nodes), unit))
	}
	return corev1.ResourceList{
		corev1.ResourcePods:           quantity(appPods, 1, ""),
		corev1.ResourceServices:       resource.MustParse("2"),
		corev1.ResourceSecrets:        resource.MustParse("2"),
		corev1.ResourceRequestsCPU:    quantity(appPods*20, 500, "m"),
		corev1.ResourceRequestsMemory: quantity(appPods*32, 64, "Mi"),
		corev1.ResourceLimitsCPU:      quantity(appPods/2, 1, ""),
		corev1.ResourceLimitsMemory:   quantity(appPods*64, 128, "Mi"),
	}
}

// checkQuota returns an error for a namespace whose quota is too small. Without the right to read quotas it returns nil: then the
// trial pods show it.
func (p Preflight) checkQuota(ctx context.Context, namespace string, nodes int) error {
	quotas, err := p.Cluster.Client().CoreV1().ResourceQuotas(namespace).List(ctx, metav1.ListOptions{})
	if apierrors.IsForbidden(err) {
		return nil
	}
	if err == nil {
		if short := shortOf(needOf(nodes), quotas.Items); short != "" {
			err = usage.New("namespace "+namespace, short, "have its owner raise the quota")
		}
	}
	return err
}

// shortOf returns which resources the quotas leave too little of; empty if they leave enough of all.
func shortOf(need corev1.ResourceList, quotas []corev1.ResourceQuota) string {
	var short []string
	for _, q := range quotas {
		for name, want := range need {
			hard, limited := q.Status.Hard[name]
			if !limited {
				continue
			}
			left := hard.DeepCopy()
			left.Sub(q.Status.Used[name])
			if left.Cmp(want) < 0 {
				short = append(short, fmt.Sprintf("quota %s leaves %s of %s, and up to %s are needed", q.Name, left.String(), name, want.String()))
			}
		}
	}
	slices.Sort(short)
	return strings.Join(short, "; ")
}
