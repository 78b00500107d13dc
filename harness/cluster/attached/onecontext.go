package attached

import (
	"cmp"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// WriteKubeconfig writes a kubeconfig by which other programs reach the cluster as we do: its only context has the cluster's name, and
// the server, proxy, certificates, credentials and impersonated user of the options. Only the user of this process may read the file.
func (c *Cluster) WriteKubeconfig(file string) error {
	config, err := c.oneContext()
	if err != nil {
		return err
	}
	return clientcmd.WriteToFile(*config, file)
}

func (c *Cluster) oneContext() (*api.Config, error) {
	raw, err := c.loader.RawConfig() // in which paths of files and of exec plugins are absolute
	if err != nil {
		return nil, err
	}
	access := c.options.Access
	if access.CertificateAuthority != "" {
		if access.CertificateAuthority, err = filepath.Abs(access.CertificateAuthority); err != nil {
			return nil, err
		}
	}
	overrides := access.overrides(c.options.Context)
	merged, err := clientcmd.NewNonInteractiveClientConfig(raw, c.options.Context, overrides, nil).MergedRawConfig()
	if err != nil {
		return nil, err
	}
	of := merged.Contexts[merged.CurrentContext]
	user := merged.AuthInfos[of.AuthInfo]
	if access.Token != "" { // in place of all credentials of the user, as in apply
		user = &api.AuthInfo{Token: access.Token, Impersonate: user.Impersonate, ImpersonateUID: user.ImpersonateUID,
			ImpersonateGroups: user.ImpersonateGroups, ImpersonateUserExtra: user.ImpersonateUserExtra}
	}
	// The names are ours where the options alone name a server, in no context of the kubeconfig.
	clusterName, userName := cmp.Or(of.Cluster, c.name), cmp.Or(of.AuthInfo, c.name)
	config := api.NewConfig()
	config.CurrentContext = c.name
	config.Contexts[c.name] = &api.Context{Cluster: clusterName, AuthInfo: userName, Namespace: of.Namespace}
	config.Clusters[clusterName] = merged.Clusters[of.Cluster]
	config.AuthInfos[userName] = user
	return config, nil
}
