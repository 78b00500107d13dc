package advice

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
	"example.com/rollcall/reports/model"
)

// ownersApp is an app of two containers as its owner wrote it; each row changes a line or two.
const ownersApp = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {team: front}}
spec:
  replicas: 3
  strategy: {rollingUpdate: {maxUnavailable: 50%}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 20
      containers:
      - name: log
        image: log:1
        lifecycle: {preStop: {sleep: {seconds: 9}}}
      - name: web
        image: web:1
        env: [{name: TOKEN, value: secret}]
        ports: [{containerPort: 8080}]
        readinessProbe: {httpGet: {path: /ready, port: 8080}}
        livenessProbe: {httpGet: {path: /live, port: 8080}, initialDelaySeconds: 5, periodSeconds: 3}
        lifecycle: {postStart: {exec: {command: [warm]}}, preStop: {sleep: {seconds: 9}}}
`

// Each advice that a manifest can follow has its patch, which changes nothing else.
func TestPatches(t *testing.T) {
	const (
		lifecycle = "        lifecycle: {preStop: {sleep: {seconds: 9}}}\n" // of the first container
		sleep     = "preStop: {sleep: {seconds: 9}}}\n      - name: web"    // and what comes after it
		hook      = "preStop: {sleep: {seconds: 9}}}\n"                     // of the last container, which answers
		limits    = "strategy: {rollingUpdate: {maxUnavailable: 50%}}"
		grace     = "terminationGracePeriodSeconds: 20"
		answers   = "{postStart: {exec: {command: [warm]}}, " + hook
		liveness  = "livenessProbe: {httpGet: {path: /live, port: 8080}, initialDelaySeconds: 5, periodSeconds: 3}\n"
	)
	hooked := func(with string) string { return "{postStart: {exec: {command: [warm]}}, preStop: " + with + "}\n" }
	commands := func(with string) string { return hooked("{exec: {command: " + with + "}}") }
	lag := model.Numbers{RuleLag: &model.Lags{Max: 1200}}
	for _, row := range []struct {
		sentence string
		was      []string // changes of the manifest: pairs of a text and what replaces it
		own      func(*evidence.UserApp)
		numbers  model.Numbers
		shown    shown
		follows  []string
		becomes  []string // likewise, made by the patch
	}{
		{"a hook that fails is replaced by a sleep, and what is beside it in the lifecycle stays", []string{answers, commands("[stop]")},
			nil, lag, showing(seen(timeline.HookFailed, 2)), []string{"RC3001"}, []string{commands("[stop]"), hooked("{sleep: {seconds: 3}}")}},
		{"no lag was measured", []string{answers, commands("[stop]")}, nil, model.Numbers{}, showing(seen(timeline.HookFailed, 2)),
			[]string{"RC3001"}, []string{commands("[stop]"), hooked("{sleep: {seconds: 5}}")}},
		{"the hook beside it that fails", []string{sleep, strings.Replace(sleep, "sleep: {seconds: 9}", "exec: {command: [stop]}", 1)}, nil, lag,
			showing(seen(timeline.HookFailed, 2)), []string{"RC3001"}, []string{"exec: {command: [stop]}}}", "sleep: {seconds: 3}}}"}},
		{"a hook that was cut gets what Kubernetes gives an app to end beside what it had", []string{sleep,
			strings.Replace(sleep, "sleep: {seconds: 9}", "exec: {command: [stop]}", 1)}, nil, lag, showing(seen(timeline.HookCutOff, 2)),
			[]string{"RC3008"},
			[]string{grace, "terminationGracePeriodSeconds: 50"}},
		{"one pod has to be there, and a surge is allowed by default", nil, func(o *evidence.UserApp) { o.Unavailable = 3 }, lag,
			unserved(4), []string{"RC3002"},
			[]string{"maxUnavailable: 50%", "maxUnavailable: 0, maxSurge: 1"}},
		{"a surge that is there stays", []string{"maxUnavailable: 50%", "maxUnavailable: 50%, maxSurge: 2"},
			func(o *evidence.UserApp) { o.Unavailable = 3 }, lag, unserved(4),
			[]string{"RC3002"}, []string{"maxUnavailable: 50%", "maxUnavailable: 0"}},
		{"a StatefulSet of one pod", []string{"kind: Deployment", "kind: StatefulSet", limits, "serviceName: web", "replicas: 3", "replicas: 1"},
			func(o *evidence.UserApp) { o.Unavailable = 1 }, lag, unserved(4),
			[]string{"RC3002"}, []string{"replicas: 1", "replicas: 2"}},
		{"a StatefulSet whose pods may all go at once", []string{"kind: Deployment", "kind: StatefulSet", "strategy:", "updateStrategy:"},
			func(o *evidence.UserApp) { o.Unavailable = 3 }, lag, unserved(4),
			[]string{"RC3002"}, []string{"50%", "1"}},
		{"no readiness probe", []string{"        readinessProbe: {httpGet: {path: /ready, port: 8080}}\n", ""},
			func(o *evidence.UserApp) {
				o.Request = map[string]any{"httpGet": map[string]any{"path": "/", "port": 8080.0}}
			}, lag, shown{},
			[]string{"RC3003"}, []string{liveness, liveness + "        readinessProbe: {httpGet: {path: /, port: 8080}, periodSeconds: 1}\n"}},
		{"a container without the hook of the one that answers", []string{lifecycle + "      - name: web", "      - name: web"}, nil, lag,
			losing(lost(7, timeline.StageBehind, terminating)), []string{"RC3004"}, []string{"      - name: web", lifecycle + "      - name: web"}},
		{"a hook's shell sleeps first, and the grace is longer by that", []string{answers, commands(`[/bin/sh, -c, "stop; wait"]`)}, nil, lag,
			losing(lost(5, timeline.StageStaleEndpoint, terminating)), []string{"RC3005"},
			[]string{"stop; wait", "sleep 3; stop; wait", grace, "terminationGracePeriodSeconds: 23"}},
		{"a hook without a shell gets one", []string{answers, commands(`[nginx, -s, quit]`)}, nil, lag, losing(lost(5, timeline.StageStaleEndpoint, terminating)),
			[]string{"RC3005"}, []string{"[nginx, ", `[sh, -c, 'sleep 3; exec "$@"', sh, nginx, `, grace, "terminationGracePeriodSeconds: 23"}},
		{"a command that only sleeps becomes the kubelet's sleep", []string{answers, commands(`[/bin/sh, -c, sleep 1]`)}, nil, lag,
			losing(lost(5, timeline.StageStaleEndpoint, terminating)), []string{"RC3005"}, []string{commands(`[/bin/sh, -c, sleep 1]`), hooked("{sleep: {seconds: 3}}")}},
		{"no sleep, in no container", []string{lifecycle, "", ", " + hook, "}\n"}, nil, lag, shown{},
			[]string{"RC3006"}, []string{"image: log:1", "image: log:1\n        lifecycle: {preStop: {sleep: {seconds: 3}}}",
				"{postStart: {exec: {command: [warm]}}}\n", hooked("{sleep: {seconds: 3}}")}},
		{"a sleep that is too short, and a grace that the longer one would use up",
			[]string{answers, hooked("{sleep: {seconds: 1}}"), grace, "terminationGracePeriodSeconds: 2", sleep,
				strings.Replace(sleep, "9", "1", 1)}, nil, lag, shown{}, []string{"RC3006"},
			[]string{"sleep: {seconds: 1}", "sleep: {seconds: 3}", "sleep: {seconds: 1}", "sleep: {seconds: 3}",
				"terminationGracePeriodSeconds: 2", "terminationGracePeriodSeconds: 33"}},
		{"a grace that is no longer than the sleep", []string{grace, "terminationGracePeriodSeconds: 9"}, nil, lag, shown{},
			[]string{"RC3008"}, []string{"terminationGracePeriodSeconds: 9", "terminationGracePeriodSeconds: 39"}},
		{"replicas of an autoscaler", nil, func(o *evidence.UserApp) { o.Autoscaled = "web" }, lag, shown{}, []string{"RC3009"},
			[]string{"  replicas: 3\n", ""}},
		{"Recreate", []string{limits, "strategy: {type: Recreate}"}, func(o *evidence.UserApp) { o.Recreate = true }, lag, shown{},
			[]string{"RC3010"}, []string{"Recreate", "RollingUpdate"}},
		{"a port of the node that the old pod has", nil, nil, lag,
			showing(stuck("FailedScheduling: 1 node(s) didn't have free ports", message.LacksPort)),
			[]string{"RC3013"}, []string{"maxUnavailable: 50%", "maxUnavailable: 1, maxSurge: 0"}},
		{"a slow start that the liveness probe ends", nil, nil, lag, showing(seen(timeline.KilledStarting, 1)), []string{"RC3014"},
			[]string{liveness, liveness + "        startupProbe: {httpGet: {path: /live, port: 8080}, periodSeconds: 1, failureThreshold: 300}\n"}},
		{"a startup probe that is too short", []string{liveness, "startupProbe: {tcpSocket: {port: 8080}, periodSeconds: 2}\n"}, nil, lag,
			showing(seen(timeline.KilledByStartup, 1)), []string{"RC3014"}, []string{"periodSeconds: 2", "periodSeconds: 2, failureThreshold: 150"}},
		{"accepted connections that are dropped, where no lag was measured", []string{answers, hooked("{sleep: {seconds: 1}}")}, nil,
			model.Numbers{}, losing(lost(2, timeline.StageDropped, terminating)), []string{"RC3016"},
			[]string{"sleep: {seconds: 1}", "sleep: {seconds: 5}"}},
		{"a readiness probe that succeeds too soon requests what clients request, as often as before", nil, func(o *evidence.UserApp) {
			o.Request = map[string]any{"httpGet": map[string]any{"path": "/", "port": 8080.0}}
		}, lag, losing(recovered(lost(3, timeline.StageStatus, notAble))), []string{"RC3023"},
			[]string{"readinessProbe: {httpGet: {path: /ready, port: 8080}}", "readinessProbe: {httpGet: {path: /, port: 8080}}"}},
		{"the only pod sleeps for longer than another takes to start", []string{"replicas: 3", "replicas: 1"},
			func(o *evidence.UserApp) { o.Replicas = 1 }, lag, shown{
				timeline.Signs{timeline.NoneServing: {For: 9 * time.Second}, timeline.SlowestStart: {For: 9100 * time.Millisecond}},
				[]timeline.Cause{since(timeline.TriggerDrain, "the drain of n1", lost(3, timeline.StageNoEndpoint, noPod))},
			}, []string{"RC3020"}, []string{"seconds: 9", "seconds: 15", "seconds: 9", "seconds: 15"}},
		{"several at once", []string{answers, hooked("{sleep: {seconds: 1}}"), grace, "terminationGracePeriodSeconds: 1"},
			func(o *evidence.UserApp) { o.Autoscaled = "web" }, lag, losing(lost(2, timeline.StageDropped, terminating)),
			[]string{"RC3006", "RC3008", "RC3009", "RC3016"}, []string{"sleep: {seconds: 1}", "sleep: {seconds: 3}", "  replicas: 3\n", "",
				"terminationGracePeriodSeconds: 1", "terminationGracePeriodSeconds: 39"}},
		{"a hook with a secret, which the evidence does not have, stays", []string{answers, commands("[stop, --token=a]")}, nil, lag,
			losing(lost(5, timeline.StageStaleEndpoint, terminating)), nil, nil},
		{"nor do other containers get it", []string{lifecycle + "      - name: web", "      - name: web", answers,
			commands("[stop, --token=a]")}, nil, lag, losing(lost(7, timeline.StageBehind, terminating)), nil, nil},
		{"a probe with a secret is not written twice, and the rest is followed", []string{"{path: /live, port: 8080}",
			"{path: /live, port: 8080, httpHeaders: [{name: X-Shop, value: a}]}"}, func(o *evidence.UserApp) { o.Autoscaled = "web" }, lag,
			showing(seen(timeline.KilledStarting, 1)), []string{"RC3009"}, []string{"  replicas: 3\n", ""}},
		{"a startup probe with a secret gets more time, and keeps it", []string{liveness,
			"startupProbe: {httpGet: {path: '/?token=a', port: 8080}, periodSeconds: 2}\n"}, nil, lag,
			showing(seen(timeline.KilledByStartup, 1)), []string{"RC3014"}, []string{"periodSeconds: 2", "periodSeconds: 2, failureThreshold: 150"}},
		{"nothing to follow", nil, nil, lag, shown{}, nil, nil},
		{"what no manifest can follow", nil, nil, lag, losing(lost(3, timeline.StageBehind, terminating)), nil, nil},
		{"a kind of somebody else, to which a strategic merge is nothing", []string{"apps/v1", "argoproj.io/v1alpha1"},
			func(o *evidence.UserApp) { o.Autoscaled = "web" }, lag, shown{}, nil, nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			manifest := replaced(t, ownersApp, row.was)
			patch := patchOfRow(t, manifest, row.own, row.numbers, row.shown)
			if row.follows == nil {
				if patch != nil {
					t.Errorf("%+v", patch)
				}
				return
			}
			if patch == nil {
				t.Fatal("there is no patch")
			}
			if diff := cmp.Diff(row.follows, patch.Follows); diff != "" {
				t.Errorf("it follows (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(parsed(t, replaced(t, manifest, row.becomes)), applied(t, manifest, patch.YAML)); diff != "" {
				t.Errorf("the manifest (-want +got):\n%s\nby:\n%s", diff, patch.YAML)
			}
		})
	}
}

// Whatever a recording shows, no secret of a manifest is in the patch, in its diff or in the advice, and the patch writes none back as
// withheld.
func TestPatchesHaveNoSecrets(t *testing.T) {
	const sesame = "open-sesame"
	manifest := replaced(t, ownersApp, []string{
		"labels: {team: front}", "labels: {team: front}, annotations: {vault/token: open-sesame}",
		"labels: {app: web}}\n    spec:", "labels: {app: web}, annotations: {vault/token: open-sesame}}\n    spec:",
		"value: secret", "value: open-sesame",
		"image: web:1", "image: web:1\n        args: [open-sesame, --db=postgres://me:open-sesame@db/]",
		"{path: /ready, port: 8080}", "{path: '/ready?token=open-sesame', port: 8080, httpHeaders: [{name: X-Shop, value: open-sesame}]}",
		"{path: /live, port: 8080}", "{path: '/live?key=open-sesame', port: 8080, httpHeaders: [{name: Cookie, value: open-sesame}]}",
		"[warm]", "[warm, --password, open-sesame]", "preStop: {sleep: {seconds: 9}}}\n      - name: web",
		"preStop: {httpGet: {path: /, port: 80, httpHeaders: [{name: X-Shop, value: open-sesame}]}}}\n      - name: web",
		"preStop: {sleep: {seconds: 9}}}\n", "preStop: {exec: {command: [sh, -c, 'curl -u me:open-sesame localhost']}}}\n",
	})
	followed := map[string]bool{}
	for _, shows := range []shown{
		showing(seen(timeline.HookFailed, 1)), showing(seen(timeline.HookCutOff, 1)), losing(lost(1, timeline.StageStaleEndpoint, terminating)),
		losing(lost(1, timeline.StageBehind, terminating)), showing(seen(timeline.KilledStarting, 1)),
		showing(seen(timeline.KilledByStartup, 1)), losing(lost(1, timeline.StageDropped, terminating)), showing(stuck("", message.LacksPort)),
		unserved(4), losing(lost(1, timeline.StageStatus, notAble)), losing(lost(1, timeline.StageQueueFull, ready)),
	} {
		patch := patchOfRow(t, manifest, func(own *evidence.UserApp) {
			own.Probed, own.Autoscaled, own.Recreate, own.Unavailable, own.Unhooked = false, "web", true, 3, []string{"log"}
			own.Request = userapp.ProbeHandler("/a?token=open-sesame", corev1.ServicePort{Port: 8080}, false, &loadgen.UserHTTP{})
		}, model.Numbers{}, shows)
		if patch == nil {
			t.Fatalf("%+v: there is no patch", shows)
		}
		for _, code := range patch.Follows {
			followed[code] = true
		}
		if text := patch.YAML + patch.Diff; strings.Contains(text, sesame) || strings.Contains(patch.YAML, secret.Withheld) {
			t.Errorf("%+v: a secret is in\n%s", shows, text)
		}
	}
	for _, code := range []string{"RC3001", "RC3008", "RC3009", "RC3010"} {
		if !followed[code] {
			t.Errorf("no patch follows %s", code)
		}
	}
}

// replaced replaces the first text of each pair by the second.
func replaced(t *testing.T, text string, pairs []string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		next := strings.Replace(text, pairs[i], pairs[i+1], 1)
		if next == text {
			t.Fatalf("there is no %q in\n%s", pairs[i], text)
		}
		text = next
	}
	return text
}

func parsed(t *testing.T, manifest string) (object map[string]any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(manifest), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// A shown is what a recording shows.
type shown struct {
	seen   timeline.Signs
	causes []timeline.Cause
}

func showing(signs timeline.Signs) shown { return shown{seen: signs} }

func losing(causes ...timeline.Cause) shown { return shown{causes: causes} }

// unserved shows a rollout in which n requests were sent while no pod could answer.
func unserved(n int) shown {
	return shown{timeline.Signs{timeline.NoneServing: {For: time.Second}}, []timeline.Cause{lost(n, timeline.StageNoEndpoint, noPod)}}
}

// patchOfRow returns the patch of a recording of the manifest's app.
func patchOfRow(t *testing.T, manifest string, change func(*evidence.UserApp), numbers model.Numbers, by shown) *model.Patch {
	t.Helper()
	var d appsv1.Deployment // the other kinds have the same template
	if err := yaml.Unmarshal([]byte(manifest), &d); err != nil {
		t.Fatal(err)
	}
	own := userapp.FactsOf(d.Spec.Template.Spec, corev1.ServicePort{Port: 8080})
	own.Watched, own.Replicas, own.Workload = true, int(*d.Spec.Replicas), userapp.Advisable(deepCopy(parsed(t, manifest)))
	if change != nil {
		change(&own)
	}
	var recorded evidence.UserApp // as it is read from the evidence
	data, err := json.Marshal(own)
	if err == nil {
		err = json.Unmarshal(data, &recorded)
	}
	if err != nil {
		t.Fatal(err)
	}
	lanes := []model.Lane{{Vantage: evidence.FromPod, Conn: evidence.Fresh, Requests: 90, Failures: map[evidence.Fault]int{evidence.Reset: 4}}}
	_, patch := On(recorded, model.Scenario{Numbers: numbers, Lanes: lanes}, by.seen, by.causes)
	return patch
}

// applied returns the manifest as kubectl patch leaves it.
func applied(t *testing.T, manifest, patch string) (object map[string]any) {
	t.Helper()
	was, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	change, err := yaml.YAMLToJSON([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	var kind any = appsv1.Deployment{}
	if strings.Contains(manifest, "kind: StatefulSet") {
		kind = appsv1.StatefulSet{}
	}
	is, err := strategicpatch.StrategicMergePatch(was, change, kind)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, string(is))
}

// The patch is what kubectl takes.
func TestPatchAsText(t *testing.T) {
	manifest := replaced(t, ownersApp, []string{"{sleep: {seconds: 9}}}\n      - name: web", "{exec: {command: [stop]}}}\n      - name: web"})
	patch := patchOfRow(t, manifest, nil, model.Numbers{}, showing(seen(timeline.HookFailed, 1)))
	if want := `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  template:
    spec:
      containers:
      - name: log
        lifecycle:
          preStop:
            exec: null
            sleep:
              seconds: 5
`; patch.YAML != want {
		t.Errorf("the patch (-want +got):\n%s", cmp.Diff(want, patch.YAML))
	}
}
