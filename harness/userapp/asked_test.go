package userapp_test

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// copyOf copies the file of the example and its manifests, with some texts replaced by others, and returns the copy of the file.
func copyOf(t *testing.T, changes map[string]*strings.Replacer) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"app.yaml", "nginx.yaml"} {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(nginx), name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if with := changes[name]; with != nil {
			text = with.Replace(text)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "app.yaml")
}

// read reads the file of the example, with some texts replaced by others, whose Service has more ports.
func read(t *testing.T, replaced ...string) (*userapp.App, error) {
	t.Helper()
	file := copyOf(t, map[string]*strings.Replacer{
		"app.yaml": strings.NewReplacer(replaced...),
		"nginx.yaml": strings.NewReplacer("  ports:\n  - {name: http,", "  ports:\n  - {name: nats, port: 4222}\n"+
			"  - {name: monitor, port: 8222}\n  - {name: https, port: 443}\n  - {name: http,"),
	})
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "ca.pem"), []byte("pem"), 0o600); err != nil {
		t.Fatal(err)
	}
	return userapp.Read(file)
}

// The file names the port of requests, and whether they use TLS.
func TestThePortThatIsAsked(t *testing.T) {
	for _, row := range []struct{ sentence, service, request, url, probe, says string }{
		{"none is named: that of the name http", "nginx", "{path: /}", "http://10.0.0.1:8000/", "map[path:/ port:80]", ""},
		{"one by name", "nginx:monitor", "{path: /}", "http://10.0.0.1:8222/", "map[path:/ port:8222]", ""},
		{"one by number", "nginx:4222", "{path: /}", "http://10.0.0.1:4222/", "map[path:/ port:4222]", ""},
		{"one over TLS", "https:nginx:https", "{path: /, insecure: true}", "https://nginx.ns.svc/", "map[path:/ port:443 scheme:HTTPS]", ""},
		{"one over TLS, of another number", "https:nginx:8222", "{path: /, insecure: true}", "https://nginx.ns.svc:8222/",
			"map[path:/ port:8222 scheme:HTTPS]", ""},
		{"one that is not there", "nginx:web", "{path: /}", "", "",
			"service: nginx has no port web: it has nats (4222), monitor (8222), https (443), http (8000)"},
		{"another scheme", "tcp:nginx:4222", "{path: /}", "", "",
			`service: "tcp:nginx:4222": write it like web, web:8080, web:http or https:web:443`},
		{"a namespace, which Rollcall chooses", "shop/nginx", "{path: /}", "", "", `service: "shop/nginx": write it like web`},
		{"a path, which belongs into request", "nginx:http/ready", "{path: /}", "", "", `service: "nginx:http/ready": write it like web`},
		{"no authority that pods trust", "https:nginx:443", "{path: /}", "", "",
			"clients in pods know no certificate authority: give request.ca"},
		{"an authority over plain HTTP", "nginx:http", "{path: /, ca: ca.pem}", "", "",
			"it is not asked over TLS, of which request says something"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			app, err := read(t, "service: nginx", "service: "+row.service, "{path: /}", row.request)
			if row.says != "" {
				if err == nil || !strings.Contains(err.Error(), row.says) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			service, err := app.Update().Deploy(t.Context(), fake.NewClientset(), fixtures.Destination{Namespace: "ns"}, fixtures.App{}, 0)
			if err != nil {
				t.Fatal(err)
			}
			service.Spec.ClusterIP = "10.0.0.1"
			url := fixtures.HTTPURL(service)
			if app.Secure() {
				url = userapp.SecureURL(service)
			}
			if url != row.url || app.Service() != "nginx" {
				t.Errorf("%s of %s, want %s", url, app.Service(), row.url)
			}
			if probe := fmt.Sprint(app.Facts().Asked); !strings.HasSuffix(probe, row.probe+"]") {
				t.Errorf("an advised probe is %s, want %s", probe, row.probe)
			}
		})
	}
}

// The file takes the same as the options of `rollcall during`, by the same names.
func TestHowAnAppIsAsked(t *testing.T) {
	for _, row := range []struct {
		sentence, request, reply string
		want                     loadgen.UserHTTP
		says                     string
	}{
		{sentence: "nothing is said", want: loadgen.UserHTTP{Header: "X-Version"}},
		{sentence: "all of a request", request: "host: shop.test, headers: {X-Tenant: acme}, method: POST, body: ca.pem",
			want: loadgen.UserHTTP{Method: "POST", Host: "shop.test", Header: "X-Version", Body: []byte("pem"),
				Headers: []loadgen.HeaderField{{Name: "X-Tenant", Value: "acme"}}}},
		{sentence: "statuses as ranges", reply: "goodStatus: '200,404-405', ",
			want: loadgen.UserHTTP{Header: "X-Version", Status: []int{200, 404, 405}}},
		{sentence: "TLS", request: "serverName: shop.test, insecure: true, tlsMin: '1.3'", want: loadgen.UserHTTP{Header: "X-Version",
			TLS: &loadgen.TLS{ServerName: "shop.test", Insecure: true, MinVersion: tls.VersionTLS13}}},
		{sentence: "an authority that is not there", request: "ca: none.pem", says: "request, reply: ca none.pem: "},
		{sentence: "an invalid certificate authority", request: "ca: ca.pem", says: "request, reply: CA: there is no certificate in PEM"},
		{sentence: "an unknown version of TLS", request: "insecure: true, tlsMin: '1.4'", says: "tls-min 1.4: it is not a version of TLS"},
		{sentence: "a range that begins after its end",
			reply: "goodStatus: 399-200, ", says: `goodStatus: 399-200: "399-200" is not a status or range`},
		{sentence: "statuses twice", reply: "goodStatus: 200-299, status: [200], ", says: "reply.goodStatus: reply.status says the same"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			service := "nginx"
			if strings.Contains(row.request, "insecure") || strings.Contains(row.request, "ca:") {
				service = "https:nginx:443"
			}
			app, err := read(t, "service: nginx", "service: "+service, "{path: /}", "{path: /, "+row.request+"}",
				"reply:\n  version: {header: X-Version}", "reply: {"+row.reply+"version: {header: X-Version}}")
			if row.says != "" {
				if err == nil || !strings.Contains(err.Error(), row.says) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&row.want, app.HTTP()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatClientsMayLose(t *testing.T) {
	for _, row := range []struct {
		sentence, budget string
		any              bool
		want             []evidence.Expectation
		says             string
	}{
		{sentence: "nothing may be lost by default", want: []evidence.Expectation{verdict.NoFailures()}},
		{sentence: "an outage and a share", budget: "{maxOutage: 5s, maxFailed: 0.1%}", any: true, want: []evidence.Expectation{
			verdict.MaxOutage(5 * time.Second), verdict.ReplyGap(0, 5*time.Second), verdict.MaxFailedShare(1)}},
		{sentence: "late replies, and no loss", budget: "{p99: 300ms}", want: []evidence.Expectation{verdict.NoFailures(),
			verdict.MaxP99(300 * time.Millisecond)}},
		{sentence: "an invalid latency", budget: "{p99: fast}", says: "budget.p99: fast: it is not a duration of 1ms or more"},
		{sentence: "an invalid outage", budget: "{maxOutage: 5}", says: "maxOutage"},
		{sentence: "an invalid share", budget: "{maxFailed: 101%}", says: "budget.maxFailed: 101%: it is not a share of 0.1% to 100%"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			budget := ""
			if row.budget != "" {
				budget = "budget: " + row.budget + "\n"
			}
			app, err := read(t, "podSecurity:", budget+"podSecurity:")
			if row.says != "" {
				if err == nil || !strings.Contains(err.Error(), row.says) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, app.Budget().Expectations()); diff != "" || app.Budget().Any() != row.any {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
