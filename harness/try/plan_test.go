package try

import (
	"crypto/x509"
	"encoding/pem"
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/usage"
)

const secure = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {istio-injection: enabled}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: localhost/web:1
        readinessProbe: {httpGet: {path: /healthz, port: 8443, scheme: HTTPS}}
        envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: extra, optional: true}}]
        env: [{name: KEY, valueFrom: {secretKeyRef: {name: keys, key: a}}}, {name: B, value: b}]
      volumes:
      - {name: tls, secret: {secretName: web-tls}}
      - {name: all, projected: {sources: [{secret: {name: keys}}, {configMap: {name: kube-root-ca.crt}}, {configMap: {name: given}}]}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 443, targetPort: 8443}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: given, namespace: shop}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: web, namespace: shop}
spec: {secretName: web-tls}
`

// written writes a manifest, and returns its name.
func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "app.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// tried parses a command line, and returns what the try prints. Nothing is done.
func tried(t *testing.T, manifest string, args ...string) (string, error) {
	t.Helper()
	o := Options{}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	o.List().Register(flags)
	if err := flags.Parse(append([]string{"--dry-run", "--filename", written(t, manifest)}, args...)); err != nil {
		t.Fatal(err)
	}
	return printed(t, o)
}

// printed returns what a try prints first.
func printed(t *testing.T, o Options) (string, error) {
	t.Helper()
	p, err := NewPlan(t.Context(), o, nil)
	if err != nil {
		return "", err
	}
	var said strings.Builder
	err = p.Print(&said)
	return said.String(), err
}

// certificate returns the name of a PEM file with a certificate, and of one with its key.
func certificate(t *testing.T) (file, key string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	private, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return written(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))),
		written(t, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
}

func TestThePlan(t *testing.T) {
	body := written(t, "{}")
	cert, key := certificate(t)
	crd := `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: certificates.cert-manager.io}
spec: {group: cert-manager.io, names: {kind: Certificate}, versions: [{name: v1, served: true}]}
`
	labelled := func(metadata string) string {
		return strings.Replace(secure, "metadata: {labels: {app: web}}", "metadata: {labels: {app: web}, "+metadata+"}", 1)
	}
	const unlike = "sidecar:   a kind cluster has no mesh that adds one, as "
	for _, row := range []struct {
		sentence, manifest string
		args               []string
		want               []string // lines
		without            string
	}{
		{"what a kind cluster lacks for an app behind TLS in a mesh", secure, nil, []string{
			"requests:  GET /healthz, over TLS, as the readiness probe; for what clients ask: --service=web:443/PATH",
			"TLS:       any certificate of the app is accepted; to have it verified: --ca=FILE",
			"rollout:   Deployment web restarts, as by kubectl rollout restart",
			"beside it: Namespace shop, ConfigMap given",
			"missing:   Deployment web refers to ConfigMap settings, Secret keys, Secret web-tls, which no manifest has: " +
				"its pods do not start without; put one with test values beside the manifests",
			"left out:  Certificate web: a kind cluster does not have kind Certificate of cert-manager.io/v1",
			unlike + "istio-injection: enabled asks for: the result is without it"}, "then:"},
		{"a kind that the manifests bring", secure + crd, nil, []string{"beside it: Namespace shop, ConfigMap given, Certificate web, " +
			"CustomResourceDefinition certificates.cert-manager.io"}, "left out:"},
		{"a pod that wants no sidecar", labelled(`annotations: {sidecar.istio.io/inject: "false"}`), nil, nil, "sidecar:"},
		{"a revision of Istio", strings.Replace(labelled("annotations: {istio.io/rev: stable}"), "istio-injection", "team", 1), nil,
			[]string{unlike + "istio.io/rev: stable asks for: the result is without it"}, ""},
		{"the sidecar of Linkerd", strings.Replace(labelled("annotations: {linkerd.io/inject: ingress}"), "istio-injection", "team", 1), nil,
			[]string{unlike + "linkerd.io/inject: ingress asks for: the result is without it"}, ""},
		{"a scheme that is named decides, whatever the probe has", secure, []string{"--service=http:web:443/x"},
			[]string{"requests:  GET /x"}, "TLS:"},
		{"a scheme before the namespace", strings.Replace(secure, ", scheme: HTTPS", "", 1), []string{"--service=https:shop/web:443/x"},
			[]string{"requests:  GET /x, over TLS"}, ""},
		{"an authority, and clients with a certificate", secure, []string{"--ca=" + cert, "--client-cert=" + cert, "--client-key=" + key},
			[]string{"TLS:       the certificate of the app has to be of an authority in " + cert + "; clients present " + cert}, ""},
		{"requests that write", both, []string{"--method=POST", "--body=@" + body, "--allow=writes", "--host=shop.test"},
			[]string{"requests:  POST / with 2 bytes, Host shop.test"}, ""},
		{"one mode after the other", both, []string{"--modes=nftables,iptables"},
			[]string{"modes:     nftables, then iptables, each on a cluster of its own"}, ""},
		{"one mode", both, []string{"--modes=nftables"}, nil, "modes:"},
		{"what follows the rollout", both, []string{"--fix"}, []string{"rollout:   Deployment web restarts, as by kubectl rollout restart",
			"then:      Deployment web gets the patch of the advice, if clients lost requests",
			"then:      Deployment web restarts with the patch of the advice, if clients lost requests"}, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			said, err := tried(t, row.manifest, row.args...)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range row.want {
				if !strings.Contains("\n"+said, "\n"+line+"\n") {
					t.Errorf("%q is not in\n%s", line, said)
				}
			}
			if row.without != "" && strings.Contains(said, row.without) {
				t.Errorf("%q is in\n%s", row.without, said)
			}
		})
	}
}

// The dry run checks every option as the run does.
func TestTheDryRunChecksOptions(t *testing.T) {
	t.Setenv("EMPTY", "")
	for _, row := range []struct {
		arg, says string
	}{
		{"--max-outage=5", "--max-outage=5: it is not a duration of 1ms or more: give the unit"},
		{"--max-failed=0.1", ""},
		{"--max-failed=0.15", "--max-failed=0.15: it is not a share"},
		{"--max-latency=300ms", "--max-latency=300ms: only p99 is supported: write it like p99=300ms"},
		{"--rate=2000", "--rate=2000: "},
		{"--modes=ebpf", "--modes=ebpf: "},
		{"--modes=iptables,ebpf", "--modes=ebpf: kube-proxy has no such mode: use some of iptables, nftables, ipvs"},
		{"--allow=write", "--allow=write: unknown value: use writes, node-rules, flows, cluster-objects; did you mean writes?"},
		{"--allow=disruption:a", "--allow=disruption:a: unknown value: use writes, node-rules, flows"},
		{"--allow=cluster-objects", "--allow=cluster-objects: it applies only to an existing cluster, and none is named: name it: --context=NAME"},
		{"--ca=none.pem", "--ca: it has no effect here: "},
		{"--service=https:web:80/ --ca=none.pem", "--ca=none.pem: none.pem cannot be read: "},
		{"--method=POST", "--method=POST: it may change something: allow that: --allow=writes"},
		{"--method=get", "--method=get: unknown method: use one of GET, "},
		{"--header=A=$EMPTY", "--header=A=$EMPTY: the environment variable EMPTY is not set, or is empty: "},
		{"--header=A=@" + written(t, "\n"), "--header=A=@"},
		{"--body={}", "--body: it is not @ and a file: write it like @order.json"},
		{"--good-status=700", "--good-status=700: "},
		{"--good-status=100", "--good-status=100: no reply ends with status 100: another one follows it: write it like 200-299,404"},
		{"--timeout=0s", "--timeout=0s: it is not a duration of 1ms or more: "},
		{"--timeout=1h", "--timeout=1h: the load may be over in 8s, before a request times out: give that or less"},
		{"--k8s=v0.1", "--k8s=v0.1: "},
		{"--namespace=mine", ""},
		{"--namespace=a,b", "--namespace=a,b: it is no name of a namespace"},
		{"--to=image=--help", `image "--help": it begins with -, as an option does: write it like shop/web:v2`},
		{"--to=image=my/App:v1", `image "my/App:v1": `},
		{"--twin", "--twin: the pods of Deployment web have no preStop hook"},
	} {
		said, err := tried(t, both, strings.Fields(row.arg)...)
		if row.says == "" && err != nil || row.says != "" && (!usage.Is(err) || !strings.HasPrefix(err.Error(), row.says) || said != "") {
			t.Errorf("%s: %v, want %s; printed %q", row.arg, err, row.says, said)
		}
	}
}
