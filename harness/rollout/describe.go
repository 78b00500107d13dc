package rollout

import (
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/describe"
)

// Describe returns what `kubectl describe deployment` prints. It calls kubectl's own code (kubectl v0.37, pkg/describe/describe.go,
// DeploymentDescriber).
func Describe(config *rest.Config, namespace, name string) (said string, err error) {
	describer, ok := describe.DescriberFor(schema.GroupKind{Group: appsv1.GroupName, Kind: "Deployment"}, config)
	if !ok {
		return "", errors.New("kubectl describes no Deployment")
	}
	return describer.Describe(namespace, name, describe.DescriberSettings{ShowEvents: true})
}
