package during

import (
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
	"example.com/rollcall/reports"
)

// A garden has secrets that a user gave us, each with the place where it was planted.
type garden struct{ places []string }

// sesame is in every secret; its 12 bytes are 16 characters in base64.
const sesame = "open-sesame-"

// plant returns a new secret.
func (g *garden) plant(place string) string {
	g.places = append(g.places, place)
	return fmt.Sprintf("%s%02d", sesame, len(g.places)-1)
}

// search fails for each secret that a text has.
func (g *garden) search(t *testing.T, where, text string) {
	t.Helper()
	for i, place := range g.places {
		if secret := fmt.Sprintf("%s%02d", sesame, i); strings.Contains(text, secret) {
			t.Errorf("the secret of %s is in %s", place, where)
		}
	}
	if strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(sesame))) {
		t.Errorf("a secret is in %s, in base64", where)
	}
}

// searchFolder searches all files of a folder, and returns their contents.
func (g *garden) searchFolder(t *testing.T, folder string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	if err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		seen[path] = string(text)
		g.search(t, path, string(text))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return seen
}

// words returns the command of a recording, which has secrets wherever a command can have one.
func (g *garden) words() []string {
	script := strings.Join([]string{
		": --token " + g.plant("a flag in a script"), ": -u me:" + g.plant("a user in a script"),
		`: -H "X-Api-Key: ` + g.plant("a header in a script") + `"`, "DB_PASS='a " + g.plant("a variable in a script") + "' true",
		": https://me:" + g.plant("a URL in a script") + "@shop.test/",
	}, "; ")
	return []string{"sh", "-c", script, "sh", "--set", "db.password=" + g.plant("a value of Helm"),
		"--set=page=2,api.token=" + g.plant("a second value of Helm"), "--token", g.plant("a flag"), "--api-key=" + g.plant("a flag with ="),
		"DB_PASSWORD=" + g.plant("KEY=VALUE"), "https://me:" + g.plant("the password of a URL") + "@shop.test/",
		"https://shop.test/a?access_token=" + g.plant("a parameter of a URL"), "-H", "Authorization: Bearer " + g.plant("a header"),
		"--header=Cookie: a=" + g.plant("a cookie"), "-e", "API_TOKEN=" + g.plant("a variable of docker"),
		"-u", "me:" + g.plant("a user of curl"), "--from-literal=a=" + g.plant("a literal of kubectl"),
		`{"stringData": {"password": "` + g.plant("a patch") + `"}}`}
}

// workload returns a manifest with secrets wherever one can have one.
func (g *garden) workload() map[string]any {
	type object = map[string]any
	get := func(place string) object {
		return object{"httpGet": object{"port": int64(80), "path": "/a?token=" + g.plant("the path of "+place),
			"httpHeaders": []any{object{"name": "X-Shop", "value": g.plant("a header of " + place)}}}}
	}
	run := func(place string) object {
		return object{"exec": object{"command": []any{"sh", "-c", "curl -u me:" + g.plant("the script of "+place) + " localhost",
			"--password=" + g.plant("an argument of "+place)}}}
	}
	annotations := func(place string) object {
		return object{"annotations": object{"vault/token": g.plant("an annotation of " + place)}}
	}
	return object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": annotations("a workload"),
		"spec": object{"template": object{"metadata": annotations("a pod"), "spec": object{"containers": []any{object{"name": "web",
			"env":          []any{object{"name": "A", "value": g.plant("a variable of a pod")}},
			"command":      []any{"web", "--token", g.plant("the command of a pod")},
			"startupProbe": get("a startup probe"),
			"args":         []any{g.plant("an argument of a pod")}, "livenessProbe": get("a liveness probe"),
			"readinessProbe": run("a readiness probe"),
			"lifecycle":      object{"preStop": run("a preStop hook"), "postStart": get("a postStart hook")}}}}}}}
}

// What has a secret where others can read it is refused, and the error does not have it either.
func TestSecretsThatAreRefused(t *testing.T) {
	module(t)
	g := &garden{}
	url := func(o *Options, text string) { o.URL = text }
	outside := func(o *Options, text string) { o.Context, o.Namespaces, o.OutsideURL = "staging", "a", text }
	service := func(o *Options, text string) { o.Service = text }
	header := func(o *Options, text string) { o.Service, o.Request.Headers = "shop/web", []string{text} }
	for _, row := range []struct {
		place, format string
		edit          func(*Options, string)
	}{
		{"the user of --url", "https://%s@shop.test/", url},
		{"the password of --url", "https://me:%s@shop.test/", url},
		{"the query of --url", "https://shop.test/?a=b&access_token=%s", url},
		{"the fragment of --url", "https://shop.test/#token=%s", url},
		{"--url without a scheme", "me:%s@shop.test/", url},
		{"--url of another scheme", "ftp://me:%s@shop.test/", url},
		{"the user of --outside-url", "http://%s@shop.test/", outside},
		{"the password of --outside-url", "http://me:%s@shop.test/", outside},
		{"the query of --outside-url", "http://shop.test/?key=%s", outside},
		{"the path of --service", "shop/web:80/a?token=%s", service},
		{"--service without a namespace", "web:80/a?token=%s", service},
		{"a --header with a secret's name", "X-Api-Key=%s", header},
		{"a --header with a URL", "X-Callback=https://me:%s@shop.test/", header},
		{"a --body that is not a file", `{"password": "%s"}`, func(o *Options, text string) { o.Service, o.Request.Body = "shop/web", text }},
		{"--until that no shell takes", "wait --token %s (", func(o *Options, text string) { o.Until = text }},
		{"--until that no command tells", "kubctl-none --token %s", func(o *Options, text string) { o.Until = text }},
		{"the password of --server", "https://me:%s@staging.test", func(o *Options, text string) {
			o.Context, o.Access.Server = "staging", text
		}},
	} {
		var o Options
		row.edit(&o, fmt.Sprintf(row.format, g.plant(row.place)))
		_, err := o.prepare()
		flag := strings.Fields(row.place[strings.Index(row.place, "--"):])[0]
		if !usage.Is(err) || !strings.HasPrefix(err.Error(), flag) {
			t.Errorf("%s: error %v", row.place, err)
			continue
		}
		g.search(t, "the error about "+row.place, err.Error())
	}
	err := checkCommand([]string{"DB_PASSWORD=" + g.plant("a command"), "./upgrade.sh"})
	if !usage.Is(err) {
		t.Fatal(err)
	}
	g.search(t, "the error about the command", err.Error())
	g.searchFolder(t, ".")
}

// No secret that a user may give us is in a file of a run, on the screen or in arguments of the recorder. A certificate that changes
// meanwhile is on the page.
func TestSecretsStayOutOfTheRun(t *testing.T) {
	g := &garden{}
	f := &fakeRecording{folder: runFolder(t), how: asks, app: func(own *evidence.UserApp) {
		own.Watched, own.Replicas, own.Autoscaled, own.Recreate, own.Answers = true, 3, "web", true, "web"
		own.Workload = userapp.Advisable(g.workload())
		own.Request = userapp.ProbeHandler("/a?token="+g.plant("the path of --service"), corev1.ServicePort{Port: 80}, false, &loadgen.UserHTTP{})
	}}
	r := fakeRecorder(f.folder, asks)
	r.record = f.record
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	module(t)
	token, cookie, body := g.plant("--header=NAME=$VARIABLE"), "a="+g.plant("--header=NAME=@FILE"), g.plant("--body=@FILE")
	t.Setenv("TOKEN", token)
	t.Setenv("DB_PASSWORD", g.plant("the environment"))
	t.Setenv("HTTPS_PROXY", "http://me:"+g.plant("a proxy in the environment")+"@127.0.0.1:1")
	old, trusted := certificate(t, "shop.test", time.Hour)
	renewed, trustedToo := certificate(t, "shop.test", 2*time.Hour)
	var handshakes atomic.Int32
	at := webServer(t, &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		if handshakes.Add(1) > 10 {
			return &renewed, nil
		}
		return &old, nil
	}}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != token || r.Header.Get("Cookie") != cookie {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	o := Options{URL: "https://shop.test/", Until: "true --password=" + g.plant("a flag of --until") + " https://me:" +
		g.plant("a URL of --until") + "@shop.test/", Request: Request{Headers: []string{"Authorization=$TOKEN", "Cookie=@" + file(t, cookie)},
		Method: http.MethodPut, Body: "@" + file(t, body), Secure: by(file(t, both(t, trusted, trustedToo))).Secure, ConnectTo: at}}
	o.Allow = allowWrites
	a, err := o.prepare()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(home)
	command := g.words()
	r.url, r.http, r.connectTo, r.until, r.proxy, r.line = a.url, a.http, a.connectTo, a.until, a.proxy, o.line("during", command)
	out := &ready{then: func() {}}
	code, err := r.run(t.Context(), Terminal{Out: out, Errors: out}, command)
	if err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s", code, err, &out.text)
	}
	o.Context, o.Access.Token = "staging", g.plant("ROLLCALL_TOKEN")
	args := strings.Join(recorderOf("rollcall", r.folder, o).Args, " ")
	if !strings.Contains(args, "--header=Authorization=$TOKEN --header=Cookie=@") {
		t.Errorf("arguments %s", args)
	}
	g.search(t, "the arguments of the recorder", args)
	g.search(t, "the screen", out.text.String())
	seen := g.searchFolder(t, r.root)
	told := false
	for where, text := range seen {
		told = told || strings.HasSuffix(where, ".html") && strings.Contains(text, "another certificate on outside-fresh: ")
	}
	if !told {
		t.Error("no page tells of the other certificate")
	}
	for _, name := range []string{"order.json", "report.json", "run.json", "hits.parquet", "events.jsonl", "verdict.json", "session.json",
		"index.html", "summary.md", "junit.xml", reports.PatchFile, logFile, commandFile} {
		if !hasSuffix(seen, "/"+name) {
			t.Errorf("nothing was looked for in %s, which is not there", name)
		}
	}
	if planted := len(g.places); planted < 40 {
		t.Errorf("only %d secrets were planted", planted)
	}
}

func hasSuffix(files map[string]string, suffix string) bool {
	for name := range files {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
