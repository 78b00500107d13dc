package try

import (
	"fmt"
	"strings"
	"testing"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// sesame is in every secret.
const sesame = "open-sesame"

// guarded is an app with secrets wherever its owner can write one.
const guarded = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {vault/token: open-sesame, note: DB_PASS=open-sesame}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {vault/token: open-sesame}}
    spec:
      imagePullSecrets: [{name: pull}]
      initContainers:
      - {name: init, image: localhost/init:1, command: [migrate, --password, open-sesame], env: [{name: A, value: open-sesame}]}
      containers:
      - name: web
        image: localhost/web:1
        command: [web, --token, open-sesame]
        args: ["--db=postgres://me:open-sesame@db/", --api-key=open-sesame, DB_PASS=open-sesame, open-sesame]
        env: [{name: DB_PASSWORD, value: open-sesame}, {name: URL, value: "http://me:open-sesame@shop/"}]
        readinessProbe: {exec: {command: [curl, -u, "me:open-sesame", localhost]}}
        livenessProbe: {httpGet: {path: "/a?token=open-sesame", port: 80, httpHeaders: [{name: X-Shop, value: open-sesame}]}}
        startupProbe: {exec: {command: [sh, -c, "curl -H 'X-Api-Key: open-sesame' localhost"]}}
        lifecycle:
          postStart: {httpGet: {path: "/a?key=open-sesame", port: 80, httpHeaders: [{name: Cookie, value: open-sesame}]}}
          preStop: {exec: {command: [sh, -c, "curl -u me:open-sesame localhost; sleep 5", --token=open-sesame]}}
---
apiVersion: v1
kind: Service
metadata: {name: web, annotations: {auth: open-sesame}}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {password: open-sesame}
---
apiVersion: v1
kind: Secret
metadata: {name: pull}
type: kubernetes.io/dockerconfigjson
stringData: {.dockerconfigjson: '{"auths": {"r.test": {"password": "open-sesame"}}}'}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {app.conf: "password: open-sesame"}
`

// No secret of a manifest, of an option or of a URL is in the plan, in errors, in the command line that is kept or in what advice sees of
// the workload, which is all that a report has of it.
func TestSecretsStayOutOfATry(t *testing.T) {
	t.Setenv("TOKEN", sesame)
	const away = "https://me:open-sesame@127.0.0.1:1/app.yaml?token=open-sesame" // nothing listens there
	body := written(t, sesame)
	for _, row := range []struct {
		sentence, manifest string
		args               []string
		says               string // empty: there is a plan
	}{
		{"a plan", guarded, []string{"--method=PUT", "--body=@" + body, "--header=Authorization=$TOKEN", "--allow=writes"}, ""},
		{"a path with a token", guarded, []string{"--service=web:80/a?token=open-sesame"}, "--service=default/web:80/a?token=(withheld): "},
		{"a Service that is none", guarded, []string{"--service=tcp:web:80/a?token=open-sesame"}, "--service=tcp:web:80/a?token=(withheld): "},
		{"a probe with a token, which is what clients ask for", strings.Replace(guarded, "readinessProbe: {exec: {command: [curl, -u, "+
			`"me:open-sesame", localhost]}}`, `readinessProbe: {httpGet: {path: "/a?token=open-sesame", port: 80}}`, 1), nil,
			"--service=default/web:80/a?token=(withheld): "},
		{"manifests at a URL", guarded, []string{"--filename=" + away}, "manifest https://(withheld)@127.0.0.1:1/app.yaml?token=(withheld): "},
		{"a version at a URL", guarded, []string{"--to=https://me:open-sesame@127.0.0.1:1/app.yaml"}, "manifest https://(withheld)@127.0.0.1:1/"},
		{"a version at a URL with a parameter", guarded, []string{"--to=" + away}, "manifest https://(withheld)@127.0.0.1:1/app.yaml?token="},
		{"a field that there is not", strings.Replace(guarded, "stringData: {password", "sringData: {password", 1), nil, "sringData"},
		{"a field of another type", strings.Replace(guarded, "stringData: {password: open", "stringData: {password: [open", 1), nil,
			"fix the manifest"},
	} {
		said, err := tried(t, row.manifest, row.args...)
		if row.says == "" && (err != nil || !strings.Contains(said, "shutdown:  preStop command: ")) {
			t.Errorf("%s: %v, printed %s", row.sentence, err, said)
		}
		if row.says != "" && (!usage.Is(err) || !strings.Contains(err.Error(), row.says)) {
			t.Errorf("%s: %v, want %s", row.sentence, err, row.says)
		}
		if text := fmt.Sprint(said, err); strings.Contains(text, sesame) {
			t.Errorf("%s: a secret is printed:\n%s", row.sentence, text)
		}
	}
	objects, err := manifest.Parse("app.yaml", []byte(guarded))
	if err != nil {
		t.Fatal(err)
	}
	app, err := New(objects, "", "")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{To: away}
	o.Files = []string{away}
	kept := fmt.Sprint(o.line(), userapp.Advisable(app.workload.Object), Change{from: "a", objects: objects}.Does(app))
	if strings.Contains(kept, sesame) {
		t.Errorf("a secret is kept:\n%s", kept)
	}
}
