package during

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/rollcall/harness/cluster/attached"
)

// requestsVersion is a value of fakeVariable that makes a test process a kubectl: it prints the current context, whom it asks as and the
// token that it was not to get, and asks the API server for its version.
const requestsVersion = "kubectl"

func fakeKubectl(out io.Writer) error {
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil)
	raw, err := loader.RawConfig()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "context %s, token %q\n", raw.CurrentContext, os.Getenv("ROLLCALL_TOKEN"))
	config, err := loader.ClientConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err == nil {
		_, err = client.Discovery().ServerVersion()
	}
	return err
}

// A measured is the API server of the cluster that is measured, which has no objects. It counts requests of another user's kubectl.
type measured struct {
	*httptest.Server
	asked atomic.Int32 // for the version, by the programs that the command runs
	own   atomic.Int32 // requests to come of the connection itself
}

func newMeasured(t *testing.T) *measured {
	t.Helper()
	m := &measured{}
	m.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer open-sesame" || r.Header.Get("Impersonate-User") != "jane" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		kinds := map[string]string{"nodes": "NodeList", "pods": "PodList", "leases": "LeaseList", "daemonsets": "DaemonSetList"}
		switch last := path.Base(r.URL.Path); {
		case last == "version":
			if m.own.Add(-1) < 0 {
				m.asked.Add(1)
			}
			fmt.Fprint(w, `{"gitVersion": "v1.37.2"}`)
		case r.Method == http.MethodGet && kinds[last] != "":
			_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "v1", "kind": kinds[last], "items": []any{}})
		default:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"apiVersion": "v1", "kind": "Status", "reason": "Forbidden", "code": 403}`)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// A counted is a server that counts its connections, and answers none.
type counted struct {
	net.Listener
	mu    sync.Mutex
	count int
}

func newCounted(t *testing.T) *counted {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{Listener: listener}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			c.mu.Lock()
			c.count++
			c.mu.Unlock()
			conn.Close()
		}
	}()
	return c
}

func (c *counted) connections() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

// The command of a recording, and that of --until, reach the cluster that is measured, whatever the user's current context is.
func TestTheClusterOfACommand(t *testing.T) {
	kubectl, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence string
		own      bool
		prints   string
		measured int32 // requests of the command and of --until
		current  bool  // the current context's server gets connections
	}{
		{"the one that is measured", false, `context staging, token ""`, 2, false},
		{"the user's own, if the user says so", true, `context production, token ""`, 0, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := fakeRecorder(runFolder(t), works)
			staging, production := newMeasured(t), newCounted(t)
			own := filepath.Join(t.TempDir(), "config")
			if err := os.WriteFile(own, []byte(fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- {name: here, cluster: {server: %q, insecure-skip-tls-verify: true}}
- {name: there, cluster: {server: "http://%s"}}
users:
- {name: me, user: {token: mine}}
contexts:
- {name: staging, context: {cluster: here, user: me}}
- {name: production, context: {cluster: there, user: me}}
current-context: production
`, staging.URL, production.Addr())), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("KUBECONFIG", own)
			t.Setenv("ROLLCALL_TOKEN", "open-sesame")
			staging.own.Store(4) // for the version and for the time, and twice for what was changed
			on, err := attached.Connect(t.Context(), attached.Options{Context: "staging",
				Access: attached.Access{Token: "open-sesame", Impersonate: "jane"}})
			if err != nil {
				t.Fatal(err)
			}
			r.record = (&fakeRecording{folder: r.folder, how: works, on: on}).record
			r.ownConfig = row.own
			script := fmt.Sprintf("%s=%s %s", fakeVariable, requestsVersion, kubectl)
			if !row.own {
				r.until = script + " >&2"
			}
			var out bytes.Buffer
			script += "; ls -l $KUBECONFIG; ls -ld ${KUBECONFIG%/*}"
			_, err = r.run(t.Context(), Terminal{Out: &out, Errors: &out}, []string{"sh", "-c", script})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), row.prints) {
				t.Errorf("%q is not in\n%s", row.prints, &out)
			}
			if n := staging.asked.Load(); n != row.measured {
				t.Errorf("%d requests to the cluster that is measured, want %d", n, row.measured)
			}
			if n := production.connections(); (n > 0) != row.current {
				t.Errorf("%d connections to the cluster of the current context", n)
			}
			if !row.own && (!strings.Contains(out.String(), "\n-rw------- ") || !strings.Contains(out.String(), "\ndrwx------ ")) {
				t.Errorf("others may read the kubeconfig:\n%s", &out)
			}
			noKubeconfigs(t)
		})
	}
}

// noKubeconfigs fails the test if a kubeconfig is left behind.
func noKubeconfigs(t *testing.T) {
	t.Helper()
	all, locks, err := kubeconfigFolders()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{all, locks} {
		if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// What a recorder that was killed left is removed by the next run, and what a living one uses is not.
func TestTheKubeconfigOfAKilledRecorder(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	make := func() *kubeconfig {
		k, err := newKubeconfig(func(file string) error { return os.WriteFile(file, []byte("secret"), 0o600) })
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	killed, lives := make(), make()
	if err := killed.held.Abort(); err != nil { // as the end of its process does
		t.Fatal(err)
	}
	if err := sweepKubeconfigs(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(killed.folder); !os.IsNotExist(err) {
		t.Errorf("that of a killed recorder is still there: %v", err)
	}
	if _, err := os.Stat(lives.file()); err != nil {
		t.Errorf("that of one that lives is gone: %v", err)
	}
	if err := lives.remove(); err != nil {
		t.Fatal(err)
	}
	noKubeconfigs(t)
}

// A command that gets the user's own kubeconfig has its context named before all else.
func TestTheContextOfACommand(t *testing.T) {
	const head = "apiVersion: v1\nkind: Config\n"
	for _, row := range []struct {
		sentence, kubeconfig string
		fromHost, own        bool
		says                 string
	}{
		{"a URL alone is requested", head + "current-context: production\n", true, false,
			"the command meets your own kubeconfig, with the current context production\n"},
		{"there is no current context", head, true, false, "the command meets your own kubeconfig, which has no current context\n"},
		{"the kubeconfig is none", "{", true, false, "the command meets your own kubeconfig, which cannot be read: "},
		{"a cluster is measured", head + "current-context: production\n", false, false, ""},
		{"a cluster is measured, and the kubeconfig is to stay", head + "current-context: production\n", false, true,
			"the command meets your own kubeconfig, with the current context production\n"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config")
			if err := os.WriteFile(file, []byte(row.kubeconfig), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("KUBECONFIG", file)
			r := fakeRecorder(runFolder(t), refused)
			r.plan.Options.FromHost, r.ownConfig = row.fromHost, row.own
			var out bytes.Buffer
			if _, err := r.run(t.Context(), Terminal{Out: &out, Errors: &out}, []string{"true"}); err == nil {
				t.Error("no error")
			}
			if !strings.HasPrefix(out.String(), row.says) || row.says == "" && out.Len() > 0 {
				t.Errorf("printed %q, want %q", &out, row.says)
			}
		})
	}
}
