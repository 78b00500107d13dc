package attached

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// A kubeconfig that is written elsewhere leads to the same files and programs, and only to the cluster.
func TestAKubeconfigOfOneContext(t *testing.T) {
	home := t.TempDir()
	given := filepath.Join(home, "config")
	if err := os.WriteFile(given, []byte(`apiVersion: v1
kind: Config
clusters:
- name: here
  cluster: {server: "https://10.0.0.7:6443", certificate-authority: pki/ca.pem, proxy-url: "http://proxy:3128", tls-server-name: api}
- {name: there, cluster: {server: "https://10.0.0.8:6443"}}
users:
- {name: me, user: {client-certificate: pki/me.pem, client-key: pki/me.key, as: jane, as-groups: [ops]}}
- {name: you, user: {token: yours}}
contexts:
- {name: staging, context: {cluster: here, user: me, namespace: shop}}
- {name: production, context: {cluster: there, user: you}}
current-context: production
`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(home) // to which paths of options are relative
	if err := os.Mkdir("pki", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ca.pem", "other.pem", "me.pem", "me.key"} { // which are looked for
		if err := os.WriteFile(filepath.Join("pki", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pki := func(name string) string { return filepath.Join(home, "pki", name) }
	for _, row := range []struct {
		sentence string
		access   Access
		cluster  api.Cluster
		user     api.AuthInfo
	}{
		{"as the kubeconfig has it", Access{},
			api.Cluster{Server: "https://10.0.0.7:6443", CertificateAuthority: pki("ca.pem"), ProxyURL: "http://proxy:3128", TLSServerName: "api"},
			api.AuthInfo{ClientCertificate: pki("me.pem"), ClientKey: pki("me.key"), Impersonate: "jane", ImpersonateGroups: []string{"ops"}}},
		{"as the options have it", Access{Server: "https://staging:6443", CertificateAuthority: "pki/other.pem", TLSServerName: "other",
			Impersonate: "joe", ImpersonateUID: "7"},
			api.Cluster{Server: "https://staging:6443", CertificateAuthority: pki("other.pem"), ProxyURL: "http://proxy:3128",
				TLSServerName: "other"},
			api.AuthInfo{ClientCertificate: pki("me.pem"), ClientKey: pki("me.key"), Impersonate: "joe", ImpersonateUID: "7",
				ImpersonateGroups: []string{"ops"}}},
		{"with a token in place of a certificate", Access{Token: "given"},
			api.Cluster{Server: "https://10.0.0.7:6443", CertificateAuthority: pki("ca.pem"), ProxyURL: "http://proxy:3128", TLSServerName: "api"},
			api.AuthInfo{Token: "given", Impersonate: "jane", ImpersonateGroups: []string{"ops"}}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			loader, name, err := choose(Options{Kubeconfig: given, Context: "staging", Access: row.access})
			if err != nil {
				t.Fatal(err)
			}
			c := &Cluster{options: Options{Context: "staging", Access: row.access}, name: name, loader: loader}
			file := filepath.Join(t.TempDir(), "written")
			if err := c.WriteKubeconfig(file); err != nil {
				t.Fatal(err)
			}
			got, err := clientcmd.LoadFromFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := api.Config{CurrentContext: "staging",
				Contexts:  map[string]*api.Context{"staging": {Cluster: "here", AuthInfo: "me", Namespace: "shop"}},
				Clusters:  map[string]*api.Cluster{"here": &row.cluster},
				AuthInfos: map[string]*api.AuthInfo{"me": &row.user}}
			if diff := cmp.Diff(want, *got, cmpopts.EquateEmpty(), cmp.FilterPath(func(at cmp.Path) bool {
				return at.Last().String() == ".LocationOfOrigin"
			}, cmp.Ignore())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v, want mode 0600", info, err)
			}
		})
	}
}

// A credential plugin whose path is relative to the kubeconfig is found from the kubeconfig that is written elsewhere.
func TestACredentialPluginOfOneContext(t *testing.T) {
	server := newAPIServer(t)
	given := written(t, fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- {name: here, cluster: {server: %q, certificate-authority: %q}}
users:
- {name: me, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, interactiveMode: Never}}}
contexts:
- {name: staging, context: {cluster: here, user: me}}
`, server.URL, server.ca))
	bin := filepath.Join(filepath.Dir(given), "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	const login = "#!/bin/sh\n" +
		`echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "made"}}'`
	if err := os.WriteFile(filepath.Join(bin, "login"), []byte(login), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := dial(Options{Kubeconfig: given, Context: "staging"})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "written")
	if err := c.WriteKubeconfig(file); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	config, err := clientcmd.BuildConfigFromFlags("", file)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Discovery().ServerVersion(); err != nil {
		t.Error(err)
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	if diff := cmp.Diff(http.Header{"Authorization": {"Bearer made"}}, server.as); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
