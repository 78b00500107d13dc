package rollout

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
)

// Deploy creates an app's Service and its other objects in a namespace, in this order, and returns the Service.
func Deploy(ctx context.Context, client kubernetes.Interface, namespace string, service *corev1.Service, others ...runtime.Object) (
	*corev1.Service, error) {
	service, err := client.CoreV1().Services(namespace).Create(ctx, service, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("rollout: create Service: %w", err)
	}
	for _, object := range others {
		if err := create(ctx, client, namespace, object); err != nil {
			return nil, fmt.Errorf("rollout: create the app: %w", err)
		}
	}
	return service, nil
}

// create creates an object of a kind that apps have.
func create(ctx context.Context, client kubernetes.Interface, namespace string, object runtime.Object) (err error) {
	options := metav1.CreateOptions{}
	switch o := object.(type) {
	case *corev1.Service:
		_, err = client.CoreV1().Services(namespace).Create(ctx, o, options)
	case *appsv1.Deployment:
		_, err = client.AppsV1().Deployments(namespace).Create(ctx, o, options)
	case *appsv1.StatefulSet:
		_, err = client.AppsV1().StatefulSets(namespace).Create(ctx, o, options)
	case *appsv1.DaemonSet:
		_, err = client.AppsV1().DaemonSets(namespace).Create(ctx, o, options)
	default:
		err = fmt.Errorf("%T is of no kind that apps have", object)
	}
	return err
}
