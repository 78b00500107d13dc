package disruption

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// service is the app's.
func (s Stage) service(ctx context.Context) (*corev1.Service, error) {
	return s.any().Client().CoreV1().Services(s.Namespace).Get(ctx, s.App.ResourceName(), metav1.GetOptions{})
}
