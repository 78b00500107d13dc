package attached

import (
	"net/url"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"example.com/rollcall/harness/usage"
)

// An Access says how an API server is reached, and as which user, where that differs from the kubeconfig. Its fields are the
// flags of kubectl.
type Access struct {
	Cluster, User               string // names in the kubeconfig, in place of the context's
	Server                      string // URL
	CertificateAuthority        string // PEM file
	TLSServerName               string
	InsecureSkipTLSVerify       bool
	Token                       string // in place of all credentials of the user
	Impersonate, ImpersonateUID string
	ImpersonateGroups           []string
	RequestTimeout              string // empty or 0: none
}

// List returns the flags, by kubectl's names.
func (a *Access) List() usage.List {
	return usage.List{
		{Flag: "cluster", Text: &a.Cluster, Help: "`name` of a cluster of the kubeconfig, in place of the context's"},
		{Flag: "user", Text: &a.User, Help: "`name` of a user of the kubeconfig, in place of the context's"},
		{Flag: "server", Text: &a.Server, Help: "`URL` of the API server, in place of the cluster's; it names a cluster without --context"},
		{Flag: "certificate-authority", Text: &a.CertificateAuthority, Help: "PEM `file` of the API server's certificate authority"},
		{Flag: "tls-server-name", Text: &a.TLSServerName, Help: "`name` that has to be in the API server's certificate"},
		{Flag: "insecure-skip-tls-verify", Switch: &a.InsecureSkipTLSVerify, Help: "accept any certificate of the API server"},
		{Flag: "token", Default: usage.Secret, Text: &a.Token, Help: "bearer `token`, in place of all credentials of the user"},
		{Flag: "as", Text: &a.Impersonate, Help: "`user` to impersonate, or a service account: system:serviceaccount:NAMESPACE:NAME"},
		{Flag: "as-uid", Text: &a.ImpersonateUID, Help: "`uid` of the user of --as"},
		{Flag: "as-group", Texts: &a.ImpersonateGroups, Help: "`group` of the user of --as; may be given again"},
		{Flag: "request-timeout", Text: &a.RequestTimeout,
			Help: "longest `time` that a request to the API server may take, such as 30s; watches and followed logs last longer (default 0: no limit)"},
	}.Under(usage.ThereAPIServer)
}

// check returns an error for mistakes that clientcmd ignores, or reports without naming the flag.
func (a Access) check() error {
	if a.Impersonate == "" && (a.ImpersonateUID != "" || len(a.ImpersonateGroups) > 0) {
		return usage.New("--as-uid, --as-group", "they need a user to impersonate", "name the user: --as=USER")
	}
	if a.InsecureSkipTLSVerify && a.CertificateAuthority != "" {
		return usage.New("--insecure-skip-tls-verify", "it contradicts --certificate-authority", "leave one of them out")
	}
	if at, err := url.Parse(a.Server); err == nil && at.User != nil {
		return usage.New("--server", "the user or password in it would stand in the report", "leave it out: ROLLCALL_TOKEN, or --user=NAME")
	}
	if a.RequestTimeout != "" {
		if limit, err := clientcmd.ParseTimeout(a.RequestTimeout); err != nil || limit < 0 {
			return usage.New("--request-timeout="+a.RequestTimeout, "it is not a duration", "write it like 30s or 2m; 0: no limit")
		}
	}
	return nil
}

// overrides returns the part of a that clientcmd can put over a kubeconfig.
func (a Access) overrides(context string) *clientcmd.ConfigOverrides {
	return &clientcmd.ConfigOverrides{
		CurrentContext: context,
		Context:        api.Context{Cluster: a.Cluster, AuthInfo: a.User},
		ClusterInfo: api.Cluster{Server: a.Server, CertificateAuthority: a.CertificateAuthority, TLSServerName: a.TLSServerName,
			InsecureSkipTLSVerify: a.InsecureSkipTLSVerify},
		AuthInfo: api.AuthInfo{Impersonate: a.Impersonate, ImpersonateUID: a.ImpersonateUID, ImpersonateGroups: a.ImpersonateGroups},
		Timeout:  a.RequestTimeout,
	}
}

// apply makes the changes that overrides cannot make: a token replaces a client certificate too, which an API server would
// prefer, and the request timeout does not end a watch.
func (a Access) apply(config *rest.Config) *rest.Config {
	if a.Token != "" {
		as := config.Impersonate
		config = rest.AnonymousClientConfig(config)
		config.BearerToken, config.Impersonate = a.Token, as
	}
	if limit := config.Timeout; limit > 0 {
		config.Timeout = 0
		config.Wrap(limited(limit))
	}
	return config
}
