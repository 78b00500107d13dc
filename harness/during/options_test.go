package during

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
)

// module makes an empty clone of Rollcall the working directory.
func module(t *testing.T) {
	t.Helper()
	config, err := os.ReadFile("../../kind-config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("ARTIFACTS", "")
	err = errors.Join(os.WriteFile("go.mod", []byte("module "+layout.ModulePath()+"\n"), 0o644),
		os.WriteFile("kind-config.yaml", config, 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

func TestBadOptions(t *testing.T) {
	module(t)
	with := func(edit func(*Options)) (o Options) {
		edit(&o)
		return o
	}
	for _, row := range []struct {
		sentence string
		options  Options
		says     string
	}{
		{"an outage without a unit", with(func(o *Options) { o.MaxOutage = "5" }), "--max-outage=5: it is not a duration of 1ms or more: "},
		{"an outage of nothing", with(func(o *Options) { o.MaxOutage = "0s" }), "--max-outage=0s: "},
		{"a latency without a percentile", with(func(o *Options) { o.MaxLatency = "300ms" }),
			"--max-latency=300ms: only p99 is supported: write it like p99=300ms"},
		{"a percentile without a latency", with(func(o *Options) { o.MaxLatency = "p99=" }), "--max-latency=p99=: "},
		{"a latency without a unit", with(func(o *Options) { o.MaxLatency = "p99=300" }),
			"--max-latency=p99=300: it is not a duration of 1ms or more"},
		{"a share of nothing", with(func(o *Options) { o.MaxFailed = "0%" }), "--max-failed=0%: it is not a share of 0.1% to 100%"},
		{"a share above 100 %", with(func(o *Options) { o.MaxFailed = "101%" }), "--max-failed=101%: "},
		{"a share that is too fine", with(func(o *Options) { o.MaxFailed = "0.15%" }), "--max-failed=0.15%: "},
		{"a share that is not a number", with(func(o *Options) { o.MaxFailed = "few" }), "--max-failed=few: "},
		{"a timeout of nothing", with(func(o *Options) { o.Request.Timeout = "0s" }), "--timeout=0s: it is not a duration of 1ms or more: "},
		{"a timeout without a unit", with(func(o *Options) { o.Request.Timeout = "5" }), "--timeout=5: "},
		{"a timeout above the load", with(func(o *Options) { o.Request.Timeout, o.Settle, o.For = "18s", "4s", "10s" }),
			"--timeout=18s: the load may be over in 17s, before a request times out: give that or less"},
		{"a timeout of Rollcall's app", with(func(o *Options) { o.Request.Timeout = "3s" }),
			"--timeout: it has no effect here: give --service or --url"},
		{"a load that ends before its last requests do", with(func(o *Options) { o.Settle = "1s" }),
			"--settle=1s: it is not a duration of 3s or more"},
		{"a deadline that is not a duration", with(func(o *Options) { o.Deadline = "tomorrow" }), "--deadline=tomorrow: "},
		{"a deadline that no namespace outlives", with(func(o *Options) { o.Deadline = "1300000h" }),
			"--deadline=1300000h: it is longer than 720h: record in several parts"},
		{"a load that the deadline ends", with(func(o *Options) { o.For = "24h" }),
			"--for=24h: the recording ends at its deadline before that, after 12h0m0s"},
		{"an end that no shell can ask for", with(func(o *Options) { o.Until = "test (" }), "--until=test (: the shell does not take it: "},
		{"an end that no command tells", with(func(o *Options) { o.Until = "kubctl-none wait" }),
			"--until=kubctl-none wait: the shell knows no command kubctl-none: try it in a shell first"},
		{"a place to connect to without a port", with(func(o *Options) { o.URL, o.Request.ConnectTo = "http://a.test/", "h:abc" }),
			"--connect-to=h:abc: it is not a host and a port"},
		{"a control beside Rollcall's own app", with(func(o *Options) { o.ControlURL = "http://b.test/" }),
			"--control-url=http://b.test/: it has no effect here: give it with --url alone: "},
		{"a control that is the app", with(func(o *Options) { o.URL, o.ControlURL = "http://a.test/", "http://a.test/" }),
			"--control-url=http://a.test/: it is --url itself: name one on the same way that nobody rolls out"},
		{"a control that is not a URL", with(func(o *Options) { o.URL, o.ControlURL = "http://a.test/", "b.test" }),
			"--control-url=b.test: it is not an http or https URL"},
		{"a URL in place of a host", with(func(o *Options) { o.URL, o.Request.Host = "http://a.test/", "https://shop.example" }),
			`request: host "https://shop.example": it is not a name`},
		{"a rate that is too low", with(func(o *Options) { o.Rate = "1" }), "--rate=1: "},
		{"two clusters", with(func(o *Options) { o.Modes = "iptables,nftables" }), "--modes=iptables,nftables: it is recorded once"},
		{"a namespace without a cluster", with(func(o *Options) { o.Namespaces = "mine" }),
			"--namespace=mine: it applies only to an existing cluster"},
		{"a thing that cannot be allowed", with(func(o *Options) { o.Allow = "write" }),
			"--allow=write: unknown value: use writes, node-rules, flows; did you mean writes?"},
		{"a Service without a namespace", with(func(o *Options) { o.Service = "web" }), "--service=web: it does not name a namespace and"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			for verb, err := range map[string]error{
				"begin":  Begin(t.Context(), &bytes.Buffer{}, row.options),
				"during": second(Run(t.Context(), Terminal{}, row.options, []string{"true"}, reported)),
			} {
				if err == nil || !usage.Is(err) || !strings.HasPrefix(err.Error(), row.says) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: error %v, want %s", verb, err, row.says)
				}
			}
		})
	}
	_, err := Run(t.Context(), Terminal{}, Options{}, []string{"no-such-program"}, reported)
	if err == nil || !usage.Is(err) || !strings.HasPrefix(err.Error(), "command no-such-program: it does not exist") {
		t.Errorf("a command that is not there: %v", err)
	}
	if left, err := filepath.Glob("*"); err != nil || len(left) != 2 && len(left) != 3 {
		t.Errorf("created: %v, %v", left, err)
	}
	if folders, err := filepath.Glob("out/2*"); err != nil || len(folders) > 0 {
		t.Errorf("run folders: %v, %v", folders, err)
	}
}

func second(_ int, err error) error { return err }

func TestWhatClientsMayLose(t *testing.T) {
	module(t)
	for _, row := range []struct {
		sentence                string
		outage, failed, latency string
		want                    []evidence.Expectation
		claim                   string
	}{
		{sentence: "nothing may be lost or late by default",
			want:  []evidence.Expectation{verdict.NoFailures(), verdict.NoSlowReplies(), verdict.SentInMaintenance(time.Second)},
			claim: "no client loses a request or gets a slow reply during x"},
		{sentence: "who says how long clients may wait has no other limit for that", latency: "p99=3s",
			want:  []evidence.Expectation{verdict.NoFailures(), verdict.MaxP99(3 * time.Second), verdict.SentInMaintenance(time.Second)},
			claim: "no client loses a request or waits for over 3s for more than 1 % of its replies during x"},
		{sentence: "an outage alone", outage: "5s", want: []evidence.Expectation{verdict.MaxOutage(5 * time.Second), verdict.ReplyGap(0, 5*time.Second),
			verdict.SentInMaintenance(5 * time.Second)},
			claim: "no client goes without a good reply for over 5s during x"},
		{sentence: "a share alone", failed: "0.1%", want: []evidence.Expectation{verdict.MaxFailedShare(1), verdict.SentInMaintenance(time.Second)},
			claim: "no client loses over 0.1 % of its requests during x"},
		{sentence: "both, and each decides", outage: "500ms", failed: "100",
			want: []evidence.Expectation{verdict.MaxOutage(500 * time.Millisecond), verdict.ReplyGap(0, 500*time.Millisecond),
				verdict.MaxFailedShare(1000), verdict.SentInMaintenance(500 * time.Millisecond)},
			claim: "no client goes without a good reply for over 500ms or loses over 100.0 % of its requests during x"},
		{sentence: "late replies, beside a share", failed: "0.1%", latency: "p99=300ms",
			want:  []evidence.Expectation{verdict.MaxFailedShare(1), verdict.MaxP99(300 * time.Millisecond), verdict.SentInMaintenance(time.Second)},
			claim: "no client loses over 0.1 % of its requests or waits for over 300ms for more than 1 % of its replies during x"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			a, err := Options{MaxOutage: row.outage, MaxFailed: row.failed, MaxLatency: row.latency}.prepare()
			if err != nil {
				t.Fatal(err)
			}
			m := &maintenance{settings: a, does: "x"}
			s := m.scenario()
			if diff := cmp.Diff(row.want, s.Expect); diff != "" {
				t.Errorf("expected (-want +got):\n%s", diff)
			}
			if does := s.UnderLoad().Disruption; s.Claim != row.claim || does.Does != "x" || !does.ByOthers() {
				t.Errorf("claim %q, disruption %+v", s.Claim, does)
			}
			if rate := s.At(a.plan.Rate, 1).UnderLoad().Rate; rate != defaultRate {
				t.Errorf("%d requests per second and lane", rate)
			}
			if a.settle != time.Minute || a.deadline != 12*time.Hour || !cmp.Equal(a.plan.Modes, []string{"iptables"}) {
				t.Errorf("asked %+v", a)
			}
		})
	}
}

// Every expected reason for distrust exists.
func TestExpectedReasons(t *testing.T) {
	known := map[string]bool{}
	for _, r := range verdict.Reasons() {
		known[r.ID] = true
	}
	for _, id := range expected() {
		if !known[id] {
			t.Errorf("there is no reason %s", id)
		}
	}
}

func TestTheLineOfARecording(t *testing.T) {
	o := Options{MaxOutage: "5s"}
	o.Keep = true
	o.Access.Token = "open-sesame"
	want := "rollcall during --max-outage=5s --keep -- sh -c 'a b'"
	if got := o.line("during", []string{"sh", "-c", "a b"}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
