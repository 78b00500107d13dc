package attached

import (
	"cmp"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/transport/spdy"

	"example.com/rollcall/harness/usage"
)

// apiServer is an API server that records the identity of the last request.
type apiServer struct {
	*httptest.Server
	ca string // file

	mu sync.Mutex
	as http.Header
}

// identity returns the names of the headers that say who sends a request.
func identity() []string {
	return []string{"Authorization", "Impersonate-User", "Impersonate-Uid", "Impersonate-Group"}
}

func newAPIServer(t *testing.T) *apiServer {
	t.Helper()
	a := &apiServer{ca: filepath.Join(t.TempDir(), "ca.pem")}
	a.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.as = http.Header{}
		for _, name := range identity() {
			if values := r.Header.Values(name); len(values) > 0 {
				a.as[name] = values
			}
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"apiVersion": "v1", "kind": "PodList", "gitVersion": "v1.37.2", "items": []}`)
	}))
	t.Cleanup(a.Close)
	a.Config.ErrorLog = nil
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.Certificate().Raw})
	if err := os.WriteFile(a.ca, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// kubeconfig writes a kubeconfig with contexts of this server and one of a server that does not exist, and three users.
func (a *apiServer) kubeconfig(t *testing.T) string {
	t.Helper()
	return written(t, fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- {name: here, cluster: {server: %q, certificate-authority: %q}}
- {name: untrusted, cluster: {server: %q}}
- {name: gone, cluster: {server: "https://127.0.0.1:1"}}
users:
- {name: me, user: {token: mine}}
- {name: you, user: {token: yours}}
- {name: file, user: {tokenFile: %q}}
contexts:
- {name: staging, context: {cluster: here, user: me}}
- {name: by-file, context: {cluster: here, user: file}}
- {name: elsewhere, context: {cluster: gone, user: me}}
- {name: unsure, context: {cluster: untrusted, user: me}}
current-context: elsewhere
`, a.URL, a.ca, a.URL, written(t, "filed")))
}

func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The options apply to the requests of every kind of client.
func TestAccess(t *testing.T) {
	server := newAPIServer(t)
	for _, row := range []struct {
		sentence, context string
		access            Access
		want              http.Header
	}{
		{"the kubeconfig alone", "staging", Access{}, http.Header{"Authorization": {"Bearer mine"}}},
		{"another user of it", "staging", Access{User: "you"}, http.Header{"Authorization": {"Bearer yours"}}},
		{"a token", "staging", Access{Token: "given"}, http.Header{"Authorization": {"Bearer given"}}},
		{"a user with a token file", "by-file", Access{}, http.Header{"Authorization": {"Bearer filed"}}},
		{"a token in place of a token file", "by-file", Access{Token: "given"}, http.Header{"Authorization": {"Bearer given"}}},
		{"a user to impersonate", "staging", Access{Impersonate: "jane"},
			http.Header{"Authorization": {"Bearer mine"}, "Impersonate-User": {"jane"}}},
		{"a user to impersonate with a uid and groups, by a token", "staging",
			Access{Token: "given", Impersonate: "jane", ImpersonateUID: "7", ImpersonateGroups: []string{"dev", "ops"}},
			http.Header{"Authorization": {"Bearer given"}, "Impersonate-User": {"jane"}, "Impersonate-Uid": {"7"},
				"Impersonate-Group": {"dev", "ops"}}},
		{"another cluster of the kubeconfig", "elsewhere", Access{Cluster: "here"}, http.Header{"Authorization": {"Bearer mine"}}},
		{"another server and its certificate authority", "elsewhere", Access{Server: server.URL, CertificateAuthority: server.ca},
			http.Header{"Authorization": {"Bearer mine"}}},
		{"a server without a context", "", Access{Server: server.URL, CertificateAuthority: server.ca, Token: "given"},
			http.Header{"Authorization": {"Bearer given"}}},
		{"any certificate", "unsure", Access{InsecureSkipTLSVerify: true}, http.Header{"Authorization": {"Bearer mine"}}},
		{"the other name in the certificate", "staging", Access{TLSServerName: "example.com"}, http.Header{"Authorization": {"Bearer mine"}}},
		{"a request timeout", "staging", Access{RequestTimeout: "1m", Impersonate: "jane"},
			http.Header{"Authorization": {"Bearer mine"}, "Impersonate-User": {"jane"}}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			c, err := dial(Options{Kubeconfig: server.kubeconfig(t), Context: row.context, Access: row.access})
			if err != nil {
				t.Fatal(err)
			}
			if want := cmp.Or(row.context, strings.TrimPrefix(server.URL, "https://")); c.Name() != want {
				t.Errorf("its name is %s", c.Name())
			}
			file := filepath.Join(t.TempDir(), "written")
			if err := c.WriteKubeconfig(file); err != nil {
				t.Fatal(err)
			}
			for client, ask := range map[string]func() error{
				"typed": func() error { _, err := c.Client().Discovery().ServerVersion(); return err },
				"dynamic": func() error {
					d, err := dynamic.NewForConfig(c.REST())
					if err == nil {
						_, err = d.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).List(t.Context(), metav1.ListOptions{})
					}
					return err
				},
				"port-forward": func() error {
					return upgrade(c.REST().Host, func() (http.RoundTripper, error) {
						rt, _, err := spdy.RoundTripperFor(c.REST())
						return rt, err
					})
				},
				"of another program, by the kubeconfig for it": func() error {
					config, err := clientcmd.BuildConfigFromFlags("", file)
					if err != nil {
						return err
					}
					client, err := kubernetes.NewForConfig(config)
					if err == nil {
						_, err = client.Discovery().ServerVersion()
					}
					return err
				},
			} {
				if err := ask(); err != nil {
					t.Errorf("%s: %v", client, err)
				}
				server.mu.Lock()
				if diff := gocmp.Diff(row.want, server.as); diff != "" {
					t.Errorf("%s (-want +got):\n%s", client, diff)
				}
				server.as = nil
				server.mu.Unlock()
			}
		})
	}
}

// upgrade requests a port-forward, which the server of the test answers as any other request.
func upgrade(host string, by func() (http.RoundTripper, error)) error {
	rt, err := by()
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodPost, host+"/api/v1/namespaces/a/pods/b/portforward", nil)
	if err != nil {
		return err
	}
	reply, err := rt.RoundTrip(request)
	if err == nil {
		err = reply.Body.Close()
	}
	return err
}

// Options that contradict each other or are wrong give an error in one line, which never contains the token.
func TestBadAccess(t *testing.T) {
	server := newAPIServer(t)
	plain, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	plain.Scheme = "http"
	for _, row := range []struct {
		sentence string
		access   Access
		says     string
	}{
		{"groups without a user", Access{ImpersonateGroups: []string{"ops"}}, "--as-uid, --as-group: they need a user to impersonate"},
		{"a uid without a user", Access{ImpersonateUID: "7"}, "--as-uid, --as-group: "},
		{"any certificate, and a certificate authority", Access{InsecureSkipTLSVerify: true, CertificateAuthority: server.ca},
			"--insecure-skip-tls-verify: it contradicts --certificate-authority: leave one of them out"},
		{"a timeout that is not a duration", Access{RequestTimeout: "soon"},
			"--request-timeout=soon: it is not a duration: write it like 30s or 2m"},
		{"a negative timeout", Access{RequestTimeout: "-1s"}, "--request-timeout=-1s: "},
		{"a user that is not there", Access{User: "them"}, `--context=staging: auth info "them" does not exist: fix it in your kubeconfig, or `},
		{"a cluster that is not there", Access{Cluster: "there"}, `--context=staging: cluster "there" does not exist: `},
		{"an authority that is not there", Access{CertificateAuthority: "/nowhere/ca.pem"}, "--context=staging: "},
		{"a server with a password", Access{Server: "https://jane:s3cret@staging"},
			"--server: the user or password in it would stand in the report"},
		{"a token over plain HTTP", Access{Server: plain.String()}, "--token: anybody could read it on its way to http://127.0.0.1:"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			row.access.Token = "open-sesame"
			_, err := dial(Options{Kubeconfig: server.kubeconfig(t), Context: "staging", Access: row.access})
			if err == nil || !usage.Is(err) || !strings.HasPrefix(err.Error(), row.says) || strings.Contains(err.Error(), "\n") ||
				strings.Contains(err.Error(), "open-sesame") {
				t.Errorf("%v, want %s", err, row.says)
			}
		})
	}
	if _, err := dial(Options{Kubeconfig: server.kubeconfig(t), Access: Access{Server: "staging"}}); err == nil ||
		err.Error() != "--server=staging: it is not a URL: write it like https://10.0.0.7:6443" {
		t.Errorf("a server that is not a URL: %v", err)
	}
}

// KUBECONFIG and --kubeconfig may name several files, which are merged.
func TestSeveralKubeconfigs(t *testing.T) {
	server := newAPIServer(t)
	const head = "apiVersion: v1\nkind: Config\n"
	files := strings.Join([]string{
		written(t, head+fmt.Sprintf("clusters:\n- {name: here, cluster: {server: %q, certificate-authority: %q}}\n", server.URL, server.ca)),
		written(t, head+"users:\n- {name: me, user: {token: mine}}\n"),
		written(t, head+"contexts:\n- {name: staging, context: {cluster: here, user: me, namespace: shop}}\ncurrent-context: staging\n"),
	}, string(filepath.ListSeparator))
	for _, row := range []struct {
		sentence, variable, given string
	}{
		{"the environment names them", files, ""},
		{"the option names them", "", files},
		{"the option goes before the environment", "/nowhere/config", files},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Setenv("KUBECONFIG", row.variable)
			c, err := dial(Options{Kubeconfig: row.given, Context: "staging"})
			if err != nil {
				t.Fatal(err)
			}
			if version, err := c.Client().Discovery().ServerVersion(); err != nil || version.GitVersion != "v1.37.2" {
				t.Errorf("%v, %v", version, err)
			}
			if in, err := Namespace(Options{Kubeconfig: row.given, Context: "staging"}); err != nil || in != "shop" {
				t.Errorf("objects that name no namespace are in %q, %v", in, err)
			}
		})
	}
}
