package during

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
	"example.com/rollcall/reports/model"
)

// fakeHostRecorder returns a recorder that records as if this host alone requested a URL.
func fakeHostRecorder(folder, how string) recorder {
	r := fakeRecorder(folder, how)
	r.url, r.http, r.plan.Options.FromHost = "https://shop.example.com/healthz", &loadgen.UserHTTP{}, true
	r.record = (&fakeRecording{folder: folder, how: how, fromHost: true}).record
	return r
}

func TestVerdictsFromThisHostAlone(t *testing.T) {
	const over = 50 * time.Millisecond
	for _, row := range []struct {
		sentence, how string
		lasts, outage time.Duration
		proxy         string
		control       bool // a control URL is asked, too
		code          int
		says          []string
	}{
		{sentence: "clients lose nothing, while the name gets another address", how: works,
			says: []string{"1 passed", "limit: a URL alone has no control lane"}},
		{sentence: "nor does the control lane", how: works, control: true, says: []string{"1 passed"}},
		{sentence: "clients lose a request, and the control lane none", how: loses, control: true, code: 1,
			says: []string{"1 refused", "1 failed"}},
		{sentence: "the control lane loses one, too", how: cut, control: true, code: 3,
			says: []string{"1 request failed (1 refused) on the control lane, which no rollout touches"}},
		{sentence: "the control lane alone loses one", how: strays, control: true, code: 3,
			says: []string{"1 request failed (1 refused) on the control lane, which no rollout touches"}},
		{sentence: "nothing shows that anything was done", how: idle, code: 3,
			says: []string{"no cluster was watched, and replies show no change: say where they name their version", "RC1068"}},
		{sentence: "nor does --for", how: idle, lasts: over, code: 3, says: []string{"replies show no change", "RC1068"}},
		{sentence: "a failed request is a failure all the same", how: loses, code: 1, says: []string{"1 refused", "1 failed"}},
		{sentence: "the app does not come back", how: broken, lasts: 4 * over, outage: 90 * time.Millisecond, code: 1,
			says: []string{" until the load ended"}},
		{sentence: "this host cannot resolve the name for a while", how: unnamed, lasts: over, code: 3,
			says: []string{"the host of outside-fresh could not resolve the name: ", "(unresolved)", "RC2023"}},
		{sentence: "a proxy is set that the load does not use", how: works, lasts: over, proxy: "HTTPS_PROXY",
			says: []string{"HTTPS_PROXY is set for https://shop.example.com/healthz: the load bypasses the proxy"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := fakeHostRecorder(runFolder(t), row.how)
			r.lasts, r.Outage, r.proxy = row.lasts, row.outage, row.proxy
			if row.control {
				r.control = "https://static.example.com/"
			}
			out := &bytes.Buffer{}
			code, err := r.run(t.Context(), Terminal{Out: out, Errors: out}, []string{"true"})
			if code != row.code || err != nil {
				t.Errorf("exit code %d, %v; want %d", code, err, row.code)
			}
			said := out.String()
			if limited := strings.Contains(said, "limit: a URL alone has no control lane"); limited == row.control {
				t.Errorf("it said\n%s", said)
			}
			for _, rule := range load(t, r.folder).Scenarios[0].Rules {
				said += rule.Because + "\n"
			}
			for _, text := range row.says {
				if !strings.Contains(said, text) {
					t.Errorf("%q is not in\n%s", text, said)
				}
			}
			checkSpeaksOfHost(t, r.folder)
		})
	}
}

// checkSpeaksOfHost fails if a run without a cluster mentions what only a cluster has.
func checkSpeaksOfHost(t *testing.T, folder string) {
	t.Helper()
	known := strings.NewReplacer(evidence.NoCluster, "", "no cluster was watched", "")
	code := regexp.MustCompile(`(?s)<(style|script)[^>]*>.*?</(style|script)>`)
	unknown := regexp.MustCompile(`(?i).{0,60}\b(clusters?|nodes?|pods?|Kubernetes|Service|arrived|barrier|the rollout)\b.{0,40}`)
	for _, name := range []string{"index.html", "summary.md", "junit.xml", logFile} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
		}
		for _, words := range unknown.FindAllString(known.Replace(code.ReplaceAllString(string(text), "")), -1) {
			t.Errorf("%s: %s", name, words)
		}
	}
}

// A command and a URL are recorded to their end without a cluster, a container engine or an image. How late this machine sends is not
// tested.
func TestARecordingFromThisHostAlone(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nowhere")
	t.Setenv("KUBECONFIG", "/nowhere")
	app := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if (r.URL.Path == "/control") == (r.Header.Get("X-Tenant") != "") {
			t.Errorf("%s was asked with the headers %v", r.URL.Path, r.Header)
		}
	}))
	defer app.Close()
	a, err := Options{URL: app.URL + "/healthz", ControlURL: app.URL + "/control", For: "1s",
		Request: Request{Headers: []string{"X-Tenant=acme"}}}.prepare()
	if err != nil {
		t.Fatal(err)
	}
	if a.settle != hostSettle {
		t.Errorf("it settles for %v", a.settle)
	}
	a.settle, a.proxy = 100*time.Millisecond, "HTTP_PROXY"
	folder, out := runFolder(t), &bytes.Buffer{}
	r := recorder{settings: a, root: filepath.Dir(folder), folder: folder, record: a.plan.Record, reports: reported}
	if code, err := r.run(t.Context(), Terminal{Out: out, Errors: out}, []string{"true"}); code != 3 || err != nil {
		t.Errorf("exit code %d, %v; it said\n%s", code, err, out)
	}
	report := load(t, folder)
	if c := report.Clusters; len(c) != 1 || c[0].Mode != evidence.NoCluster || len(report.Run.Broken) > 0 || report.Run.Ended.IsZero() {
		t.Errorf("clusters %+v, run %+v", c, report.Run)
	}
	checkSpeaksOfHost(t, folder)
	s := report.Scenarios[0]
	var lanes []string
	for _, lane := range s.Lanes {
		lanes = append(lanes, lane.ID)
		if lane.Requests == 0 || len(lane.ByVersion) > 0 {
			t.Errorf("%+v", lane)
		}
	}
	if !slices.Equal(lanes, []string{"outside-fresh", "outside-reused", "outside-control"}) {
		t.Errorf("lanes %q", lanes)
	}
	if !slices.ContainsFunc(s.Distrust, func(d model.Distrust) bool { return d.ID == evidence.ProxyUnused }) || !hasStep(report, "true") {
		t.Errorf("distrust %+v, steps %+v", s.Distrust, s.Steps)
	}
}

func TestWhatIsRecordedFromThisHostAlone(t *testing.T) {
	for _, row := range []struct {
		sentence string
		options  Options
		want     bool
	}{
		{"a URL alone", Options{URL: "https://shop.example.com/"}, true},
		{"a Service is asked as well", Options{URL: "https://shop.example.com/", Service: "shop/web"}, false},
		{"there is no URL", Options{}, false},
		{"a cluster is to be made", func() Options {
			o := Options{URL: "https://shop.example.com/"}
			o.Modes = "nftables"
			return o
		}(), false},
		{"a cluster is named", func() Options {
			o := Options{URL: "https://shop.example.com/"}
			o.Context = "staging"
			return o
		}(), false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := row.options.fromHost(); got != row.want {
				t.Errorf("from this host alone: %v", got)
			}
		})
	}
}

func TestAProxyThatIsNotUsed(t *testing.T) {
	for _, row := range []struct{ sentence, https, http, none, url, want string }{
		{"no proxy is set", "", "", "", "https://shop.example.com/", ""},
		{"a proxy for https", "http://proxy:3128", "", "", "https://shop.example.com/", "HTTPS_PROXY"},
		{"a proxy for the other scheme", "http://proxy:3128", "", "", "http://shop.example.com/", ""},
		{"a proxy for http", "", "http://proxy:3128", "", "http://shop.example.com/", "HTTP_PROXY"},
		{"the host is in NO_PROXY", "http://proxy:3128", "", "example.com", "https://shop.example.com/", ""},
		{"this host itself", "http://proxy:3128", "http://proxy:3128", "", "http://127.0.0.1:80/", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			for name, value := range map[string]string{"HTTPS_PROXY": row.https, "HTTP_PROXY": row.http, "NO_PROXY": row.none} {
				t.Setenv(name, value)
				t.Setenv(strings.ToLower(name), value)
			}
			if got := proxyFor(row.url); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

// A name that this host cannot resolve is an error before anything is made.
func TestANameThatThisHostCannotResolve(t *testing.T) {
	was := net.DefaultResolver
	defer func() { net.DefaultResolver = was }()
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("network is down")
	}}
	o := Options{URL: "http://shop.example./"}
	_, err := o.prepare()
	if err == nil || !strings.Contains(err.Error(), "this host cannot resolve its name") {
		t.Errorf("error %v", err)
	}
}
