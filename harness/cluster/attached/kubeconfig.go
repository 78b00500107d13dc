package attached

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
)

// fix is the remedy for a configuration by which no client can be made.
const fix = "fix it in your kubeconfig, or in the flags that override it"

// dial makes the client of the cluster that the options name, by the rules of kubectl. It asks the cluster nothing.
func dial(o Options) (*Cluster, error) {
	if err := o.Access.check(); err != nil {
		return nil, err
	}
	loader, name, err := choose(o)
	if err != nil {
		return nil, err
	}
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, usage.New("--context="+name, usage.OneLine(err), fix)
	}
	if o.Access.Token != "" && !rest.IsConfigTransportTLS(*config) {
		return nil, usage.New("--token", "anybody could read it on its way to "+config.Host, "give an https URL: --server=URL")
	}
	config = o.Access.apply(config)
	config.QPS, config.Burst = 50, 100
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, usage.New("--context="+name, usage.OneLine(err), fix)
	}
	return &Cluster{API: cluster.NewAPI(config, client), options: o, name: name, loader: loader}, nil
}

// choose returns the loader of the context that the options name, and the cluster's name, which is the context's.
func choose(o Options) (loader clientcmd.ClientConfig, name string, err error) {
	if o.Context == InCluster {
		own, err := ownPod()
		return clientcmd.NewNonInteractiveClientConfig(own, InCluster, o.Access.overrides(InCluster), nil), InCluster, err
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	if files := filepath.SplitList(o.Kubeconfig); len(files) > 1 {
		rules.ExplicitPath, rules.Precedence = "", files
	}
	loader = clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, o.Access.overrides(o.Context))
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, "", usage.New(strings.TrimSuffix("--kubeconfig="+o.Kubeconfig, "="), usage.OneLine(err), "give another: --kubeconfig=FILE")
	}
	if name = o.Context; name == "" && o.Access.Server != "" {
		at, err := url.Parse(o.Access.Server)
		if err != nil || at.Host == "" {
			return nil, "", usage.New("--server="+o.Access.Server, "it is not a URL", "write it like https://10.0.0.7:6443")
		}
		return loader, at.Host, nil
	}
	if name == "" {
		name = raw.CurrentContext
		if o.Current && name == "" {
			return nil, "", usage.New("kubeconfig", "it has no current context", "name one: --context=NAME")
		}
		if !o.Current && !strings.HasPrefix(name, "kind-") {
			return nil, "", usage.New(fmt.Sprintf("context %q", name), "it is only the current context, and not a kind cluster's",
				"name it: --context="+name)
		}
	}
	if _, known := raw.Contexts[name]; !known {
		contexts := slices.Sorted(maps.Keys(raw.Contexts))
		remedy := "use one of " + strings.Join(contexts, ", ") + usage.Meant(name, contexts...)
		if len(contexts) == 0 {
			remedy = "name a kubeconfig that has it: --kubeconfig=FILE"
		}
		return nil, "", usage.New("--context="+name, "the kubeconfig has no such context", remedy)
	}
	return loader, name, nil
}

// Reader returns the API of the cluster that the options name, and the namespace in which kubectl works there, if none is named. It asks
// the API server nothing.
func Reader(o Options) (api cluster.API, namespace string, err error) {
	c, err := dial(o)
	if err != nil {
		return api, "", err
	}
	namespace, err = Namespace(o)
	return c.API, namespace, err
}

// Namespace returns the namespace in which kubectl works with the options, if none is named. It asks no API server.
func Namespace(o Options) (string, error) {
	loader, name, err := choose(o)
	if err != nil {
		return "", err
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return "", usage.New("--context="+name, usage.OneLine(err), fix)
	}
	return namespace, nil
}

// ownPod returns a kubeconfig of the pod we are in, so that overrides apply to it as to any other.
func ownPod() (api.Config, error) {
	of, err := rest.InClusterConfig()
	if err != nil {
		return api.Config{}, usage.New("--context="+InCluster, err.Error(),
			"run this in a pod with a service account, or name a context of your kubeconfig")
	}
	namespace, _ := os.ReadFile(filepath.Join(filepath.Dir(of.BearerTokenFile), "namespace")) // empty means default
	return api.Config{
		Clusters:  map[string]*api.Cluster{InCluster: {Server: of.Host, CertificateAuthority: of.CAFile}},
		AuthInfos: map[string]*api.AuthInfo{InCluster: {TokenFile: of.BearerTokenFile}},
		Contexts:  map[string]*api.Context{InCluster: {Cluster: InCluster, AuthInfo: InCluster, Namespace: strings.TrimSpace(string(namespace))}},
	}, nil
}

// refuseConnection returns the usage error for a failed request to an API server.
func refuseConnection(name, server string, err error) error {
	thing := fmt.Sprintf("context %s, %s", name, secret.URLs(server))
	var dial *net.OpError
	switch {
	case apierrors.IsUnauthorized(err):
		return usage.New(thing, "the credentials are not accepted, or have expired", "log in again, or give another kubeconfig")
	case apierrors.IsForbidden(err):
		return usage.New(thing, usage.OneLine(err), "bind the ClusterRole of fixtures/staging/base to this user")
	case errors.As(err, &dial) || errors.Is(err, errNoAnswer) || errors.Is(err, context.DeadlineExceeded):
		return usage.New(thing, "it cannot be reached: "+usage.OneLine(err), "check the network, a VPN perhaps, and the server's address")
	default:
		return usage.New(thing, usage.OneLine(err), "see that kubectl --context="+name+" version works")
	}
}
