package attached

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/usage"
)

// dial makes the client of the context that the options name, and returns the context's name.
func dial(o Options) (cluster.API, string, error) {
	name := o.Context
	var config *rest.Config
	var err error
	if o.Context == InCluster {
		if config, err = rest.InClusterConfig(); err != nil {
			err = usage.New("context "+InCluster, err.Error(), "run this in a pod with a service account, or name a context of your kubeconfig")
		}
	} else {
		config, name, err = load(o)
	}
	if err != nil {
		return cluster.API{}, "", err
	}
	config.QPS, config.Burst = 50, 100
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return cluster.API{}, "", usage.New("context "+name, err.Error(), "mend it in your kubeconfig")
	}
	return cluster.NewAPI(config, client), name, nil
}

// load reads the kubeconfig by kubectl's own rules.
func load(o Options) (config *rest.Config, name string, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: o.Context})
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, "", usage.New("kubeconfig", usage.OneLine(err), "give another: -kubeconfig=FILE")
	}
	contexts := slices.Sorted(maps.Keys(raw.Contexts))
	if name = o.Context; name == "" {
		name = raw.CurrentContext
		if !strings.HasPrefix(name, "kind-") {
			return nil, "", usage.New(fmt.Sprintf("context %q", name), "it is the current one but no kind cluster's, and may not be meant",
				"name it: -context="+name)
		}
	}
	if _, known := raw.Contexts[name]; !known {
		remedy := "use one of " + strings.Join(contexts, ", ") + usage.Meant(name, contexts...)
		if len(contexts) == 0 {
			remedy = "name a kubeconfig that has it: -kubeconfig=FILE"
		}
		return nil, "", usage.New("context "+name, "the kubeconfig has none of this name", remedy)
	}
	if config, err = loader.ClientConfig(); err != nil {
		return nil, "", usage.New("context "+name, usage.OneLine(err), "mend it in your kubeconfig")
	}
	return config, name, nil
}

// refuseConnection says why an API server gives us nothing.
func refuseConnection(name, server string, err error) error {
	thing := fmt.Sprintf("context %s, %s", name, server)
	var dial *net.OpError
	switch {
	case apierrors.IsUnauthorized(err):
		return usage.New(thing, "the credentials are not accepted, or have expired", "log in again, or give another kubeconfig")
	case apierrors.IsForbidden(err):
		return usage.New(thing, usage.OneLine(err), "bind the ClusterRole of fixtures/staging/base to this user")
	case errors.As(err, &dial) || errors.Is(err, context.DeadlineExceeded):
		return usage.New(thing, "it cannot be reached: "+usage.OneLine(err), "check the network, a VPN perhaps, and the server's address")
	default:
		return usage.New(thing, usage.OneLine(err), "see that kubectl --context="+name+" version works")
	}
}
