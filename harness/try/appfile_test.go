package try

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/usage"
)

// The file of an app becomes the command line of a try.
func TestInsteadOfAnAppFile(t *testing.T) {
	on := func(edit func(*run.Options)) run.Options {
		o := run.Options{Modes: "iptables,nftables"}
		if edit != nil {
			edit(&o)
		}
		return o
	}
	const (
		example = " --filename=DIR/nginx.yaml --service=nginx:8000/"
		modes   = " --modes=iptables,nftables"
		noEnv   = "new.env (write it into other manifests: --to FILE)"
		others  = "reply.version (pods say which they are), podSecurity (label the namespace)"
		all     = " # it has no option for " + noEnv + ", " + others
		fix     = ": then roll the app out: rollcall try -f FILES"
	)
	for _, row := range []struct {
		sentence string
		edits    []string // of the file and its manifests, in pairs
		on       run.Options
		want     string // after rollcall try; of an error all that follows the flag
	}{
		{"versions that differ in a variable: the app restarts", nil, on(nil), example + modes + all},
		{"a port by its name, and a path", []string{"service: nginx", "service: nginx:http", "{path: /}", "{path: /orders}"}, on(nil),
			" --filename=DIR/nginx.yaml --service=nginx:http/orders" + modes + all},
		{"another image", []string{`green, image: "localhost/nginx:debian", env: {VERSION: green}`, `green, image: "localhost/nginx:2"`}, on(nil),
			example + " --to=nginx=localhost/nginx:2" + modes + " # it has no option for " + others},
		{"an old version that is not in the manifests", []string{`blue, image: "localhost/nginx:debian", env: {VERSION: blue}`,
			`blue, image: "localhost/nginx:1", env: {VERSION: red}`}, on(nil), example + " --to=nginx=localhost/nginx:debian" + modes +
			" # it has no option for old.image (write it into the manifests), old.env (write it into the manifests), " + noEnv + ", " + others},
		{"all of a request over TLS", []string{"service: nginx", "service: https:nginx:8000", "{path: /}", "{path: /a, host: shop.test, " +
			"method: POST, body: order.json, headers: {X-Tenant: acme, Authorization: $TOKEN, Cookie: '@cookie', X-Api-Key: open-sesame}, " +
			"ca: /etc/ca.pem, serverName: shop.test, tlsMin: '1.3', clientCert: a.pem, clientKey: b.pem}", "reply:", "reply:\n  status: [200, 404]"},
			on(nil), " --filename=DIR/nginx.yaml --service=https:nginx:8000/a --host=shop.test '--header=Authorization=$TOKEN' " +
				"--header=Cookie=@DIR/cookie '--header=X-Api-Key=$VARIABLE' --header=X-Tenant=acme --method=POST --body=@DIR/order.json " +
				"--good-status=200,404 --ca=/etc/ca.pem --server-name=shop.test --client-cert=DIR/a.pem --client-key=DIR/b.pem" + modes +
				" --allow=writes # it has no option for " + noEnv + ", reply.version (pods say which they are), request.tlsMin, " +
				"podSecurity (label the namespace)"},
		{"what clients may lose, and how much they send", []string{"podSecurity: baseline",
			"budget: {maxOutage: 5s, maxFailed: 0.1%, p99: 300ms}\nrate: 25"}, on(nil),
			example + " --max-outage=5s --max-failed=0.1% --max-latency=p99=300ms --rate=25" + modes +
				" # it has no option for " + noEnv + ", reply.version (pods say which they are)"},
		{"a probe over TLS beside requests without", []string{"{path: /, port: 80}", "{path: /, port: 80, scheme: HTTPS}"}, on(nil),
			" --filename=DIR/nginx.yaml --service=http:nginx:8000/" + modes + all},
		{"the options of the run", []string{"podSecurity:", "rate: 25\npodSecurity:"}, on(func(o *run.Options) {
			o.Modes, o.Context, o.Namespaces, o.PullSecret, o.Rate, o.Jobs = "", "staging", "rollcall", "pull.json", "12", "3"
			o.Allow, o.DryRun = "node-rules,disruption:a", true
		}), example + " --dry-run --rate=12 --context=staging --namespace=rollcall --allow=node-rules" + all + ", --pull-secret=pull.json"},
		{"a field that there is not", []string{"{path: /}", "{pth: /}"}, on(nil),
			`DIR/app.yaml: unknown field "request.pth": roll the app out by its manifests: rollcall try -f FILES`},
		{"a manifest that the API server would refuse", []string{"  replicas: 3", "  replica: 3"}, on(nil),
			"DIR/nginx.yaml, document 3: line 26: unknown field spec.replica: fix the manifest" + fix},
		{"a Service that no manifest has", []string{"service: nginx", "service: web"}, on(nil),
			"Service web: no manifest has it: choose one of: nginx" + fix},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"app.yaml", "nginx.yaml"} {
				text, err := os.ReadFile(filepath.Join("testdata", "app", name))
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, name), []byte(strings.NewReplacer(row.edits...).Replace(string(text))), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			file := filepath.Join(dir, "app.yaml")
			err := InsteadOf(t.Context(), file, row.on)
			if !usage.Is(err) {
				t.Fatalf("it is %v", err)
			}
			said := strings.TrimPrefix(err.Error(), "--app="+file+": ")
			said = strings.TrimPrefix(said, "rollcall try does this now, by the manifests themselves: rollcall try")
			if said = strings.ReplaceAll(said, dir, "DIR"); said != row.want {
				t.Errorf("it is\n%s\nwant\n%s", said, row.want)
			}
			if strings.Contains(err.Error(), "sesame") {
				t.Error("a secret is printed")
			}
		})
	}
}

// A run without --modes is in every mode that its host can run; so is the try.
func TestTheModesOfAHost(t *testing.T) {
	err := InsteadOf(t.Context(), "testdata/app/app.yaml", run.Options{})
	if want := " --modes=" + strings.Join(hostModes(t.Context()), ",") + " #"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
