package try

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Which workload is rolled out, and which others are behind its Service.
func TestBehindAService(t *testing.T) {
	named := func(kind, name string) string {
		return "---\n" + strings.NewReplacer("Deployment", kind, "{name: web}", "{name: "+name+"}").Replace(deployment)
	}
	const (
		cron = "---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly}\nspec: {schedule: '@daily', jobTemplate: {spec: {template: " +
			"{metadata: {labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}}\n"
		pod = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: debug, labels: {app: web}}\nspec: {containers: [{name: a, image: b}]}\n"
		job = "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec: {template: " +
			"{metadata: {labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}\n"
	)
	back := strings.ReplaceAll("---\n"+both, "web", "back")
	for _, row := range []struct {
		sentence, manifest, service, workload string
		rolls                                 string
		beside                                []string
		refused                               string
	}{
		{"a Job's pod, a CronJob's and one made by hand get requests too", both + job + cron + pod, "", "", "Deployment web",
			[]string{"Job migrate", "CronJob nightly", "Pod debug"}, ""},
		{"one of two that is named", both + named("Deployment", "canary"), "", "canary", "Deployment canary", []string{"Deployment web"}, ""},
		{"by its kind, in any case", both + named("StatefulSet", "web"), "", "statefulset/web", "StatefulSet web",
			[]string{"Deployment web"}, ""},
		{"the name of both", both + named("StatefulSet", "web"), "", "web", "", nil,
			"Service web: it leads to pods of Deployment web, StatefulSet web: say which is rolled out: --workload=Deployment/web"},
		{"a workload says which Service is meant", both + back, "", "Deployment/back", "Deployment back", nil, ""},
		{"one that is not behind the named Service", both + back, "web", "Deployment/back", "", nil,
			"Service web: it leads to pods of Deployment web, and to none of back: choose another Service, or --workload=Deployment/web"},
		{"a Job is not rolled out", both + job, "", "Job/migrate", "", nil,
			"--workload=Job/migrate: no manifest has it: choose one of: Deployment web"},
		{"a Service of one workload comes before one of several", both + named("Deployment", "canary") + back, "", "",
			"Deployment back", nil, ""},
		{"two of several each", both + named("Deployment", "canary") + "---\n" + strings.Replace(service, "name: web", "name: all", 1), "", "",
			"", nil, "manifests: 2 Services lead to pods of theirs: web, all: say which clients use: --service=web"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			app, err := New(parsed(t, row.manifest), row.service, row.workload)
			if row.refused != "" {
				if err == nil || err.Error() != row.refused {
					t.Errorf("it is %v, want %s", err, row.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var beside []string
			for _, o := range app.beside {
				beside = append(beside, o.String())
			}
			if diff := cmp.Diff(row.beside, beside); app.workload.String() != row.rolls || diff != "" {
				t.Errorf("%s is rolled out, want %s; beside it (-want +got):\n%s", app.workload, row.rolls, diff)
			}
		})
	}
}

// A workload's pods have the labels of its selector, whatever the next version adds to those of its template.
func TestOwnsPods(t *testing.T) {
	labelled := strings.Replace(both, "{labels: {app: web}}", `{labels: {app: web, track: "1"}}`, 1)
	for _, row := range []struct {
		sentence, manifest string
		labels             map[string]string
		want               bool
	}{
		{"one of the next version", labelled, map[string]string{"app": "web", "track": "2"}, true},
		{"one of another app", labelled, map[string]string{"app": "back", "track": "1"}, false},
		{"by an expression", strings.Replace(labelled, "{matchLabels: {app: web}}",
			"{matchExpressions: [{key: track, operator: In, values: ['1', '3']}]}", 1), map[string]string{"track": "3"}, true},
	} {
		app, err := New(parsed(t, row.manifest), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if got := app.owns(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: row.labels}}); got != row.want {
			t.Errorf("%s: %v", row.sentence, got)
		}
	}
}
