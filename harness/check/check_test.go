package check_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/check"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/manifest"
)

const app = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: shop/web:1.4
        ports: [{name: http, containerPort: 8080}]
        readinessProbe: {httpGet: {path: /, port: http}}
        lifecycle: {preStop: {sleep: {seconds: 5}}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
`

func objects(t *testing.T, text string) []manifest.Object {
	t.Helper()
	all, err := manifest.Parse("app.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Each row changes the app, and has the part of the reading that is not as before.
func TestReadings(t *testing.T) {
	const budget = "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web, namespace: shop}\nspec: {LIMIT, selector: {matchLabels: {app: web}}}\n"
	byNumber := []string{"targetPort: http", "targetPort: 8080"}
	beside := func(version, kind, ports string) string {
		return "---\napiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: web2, namespace: shop}\n" +
			"spec: {template: {metadata: {labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: m, image: m, " + ports + "}]}}}\n"
	}
	behind := func(r evidence.Reading) any {
		return []string{strings.Join(r.Peers, " "), strings.Join(r.Others, " ")}
	}
	const hook = "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate, namespace: shop, annotations: {helm.sh/hook: EVENT}}\n" +
		"spec: {template: {metadata: {labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: m, image: m}]}}}\n"
	for _, row := range []struct {
		sentence string
		edits    []string // pairs: a text, and what replaces it
		also     string   // documents
		of       func(evidence.Reading) any
		want     any
	}{
		{"25 % of 3 pods is none away, and one more", nil, "", func(r evidence.Reading) any { return [2]int{r.Unavailable, r.Surge} },
			[2]int{0, 1}},
		{"25 % of 4 is one away", []string{"replicas: 3", "replicas: 4"}, "",
			func(r evidence.Reading) any { return [2]int{r.Unavailable, r.Surge} }, [2]int{1, 1}},
		{"with neither, one is away", []string{"replicas: 3", "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 10%}}\n  replicas: 3"}, "",
			func(r evidence.Reading) any { return [2]int{r.Unavailable, r.Surge} }, [2]int{1, 0}},
		{"an autoscaler's minimum counts where the manifest names no number", []string{"  replicas: 3\n", ""},
			"---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: shop}\n" +
				"spec: {minReplicas: 4, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n",
			func(r evidence.Reading) any { return []any{r.Replicas, r.Autoscaled} }, []any{4, ""}},
		{"a budget that keeps two of three allows an eviction", nil, strings.Replace(budget, "LIMIT", "minAvailable: 2", 1),
			func(r evidence.Reading) any { return r.Budget }, ""},
		{"one of 67 % keeps all three, since percentages are rounded up", nil, strings.Replace(budget, "LIMIT", "minAvailable: 67%", 1),
			func(r evidence.Reading) any { return r.Budget }, "web"},
		{"one of another namespace is not about it", nil, strings.NewReplacer("LIMIT", "maxUnavailable: 0", "shop", "other").Replace(budget),
			func(r evidence.Reading) any { return r.Budget }, ""},
		{"a command that only sleeps is a sleep, and a program", []string{"sleep: {seconds: 5}", "exec: {command: [sh, -c, sleep 40]}"}, "",
			func(r evidence.Reading) any { return []any{r.PreStop.Seconds(), r.Programs, r.Stopping} }, []any{40.0, []string{"sh"}, false}},
		{"another command may stop it", []string{"sleep: {seconds: 5}", "exec: {command: [nginx, -s, quit]}"}, "",
			func(r evidence.Reading) any { return []any{r.Programs, r.Stopping} }, []any{[]string{"nginx"}, true}},
		{"a label that is the image's tag changes with it", []string{"labels: {app: web}", "labels: {app: web, v: \"1.4\"}",
			"{selector: {app: web}", "{selector: {app: web, v: \"1.4\"}"}, "", func(r evidence.Reading) any { return r.Versioned }, []string{"v"}},
		{"a Job with the same labels is behind the Service", byNumber, beside("batch/v1", "Job", ""), behind, []string{"", "Job web2"}},
		{"a port by name leaves it out", nil, beside("batch/v1", "Job", ""), behind, []string{"", ""}},
		{"a Job's pods do not serve, whatever port they have", nil,
			beside("batch/v1", "Job", "ports: [{name: http, containerPort: 8080}]"), behind, []string{"", "Job web2"}},
		{"a canary has the port", nil, beside("apps/v1", "Deployment", "ports: [{name: http, containerPort: 9090}]"), behind,
			[]string{"Deployment web2", ""}},
		{"one that names no port may have it", byNumber, beside("apps/v1", "StatefulSet", ""), behind, []string{"StatefulSet web2", ""}},
		{"one that names another has not", byNumber, beside("apps/v1", "Deployment", "ports: [{containerPort: 6379}]"), behind,
			[]string{"", "Deployment web2"}},
		{"a Job that runs before each upgrade is there, too", byNumber, strings.Replace(hook, "EVENT", "pre-upgrade", 1),
			func(r evidence.Reading) any { return r.Others }, []string{"Job migrate"}},
		{"one that runs before each sync of Argo CD", byNumber,
			strings.NewReplacer("EVENT", "PreSync", "helm.sh", "argocd.argoproj.io").Replace(hook),
			func(r evidence.Reading) any { return r.Others }, []string{"Job migrate"}},
		{"one that runs before an installation alone is gone", byNumber, strings.Replace(hook, "EVENT", "pre-install", 1),
			func(r evidence.Reading) any { return r.Others }, []string(nil)},
		{"the pod of a test, with the app's labels as helm create writes it", byNumber,
			"---\napiVersion: v1\nkind: Pod\nmetadata: {name: web-test, namespace: shop, labels: {app: web}, annotations: {helm.sh/hook: test}}\n" +
				"spec: {restartPolicy: Never, containers: [{name: wget, image: busybox}]}\n",
			func(r evidence.Reading) any { return r.Others }, []string(nil)},
		{"a Deployment that is deleted with the release is no app", nil,
			"---\n" + strings.NewReplacer("name: web, namespace: shop}\nspec:\n  rep",
				"name: last, namespace: shop, annotations: {helm.sh/hook: post-delete}}\nspec:\n  rep").Replace(app[:strings.Index(app, "---")]),
			func(r evidence.Reading) any { return r.Others }, []string(nil)},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			text := app
			for i := 0; i < len(row.edits); i += 2 {
				text = strings.Replace(text, row.edits[i], row.edits[i+1], 1)
			}
			apps := check.Apps(objects(t, text+row.also), nil)
			if len(apps) == 0 || apps[0].Workload.GetName() != "web" {
				t.Fatalf("%d apps", len(apps))
			}
			if diff := cmp.Diff(row.want, row.of(apps[0].Reading)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A Service that leads to no pods of the manifests stands for itself.
func TestServicesOfNoPods(t *testing.T) {
	for _, row := range []struct {
		sentence string
		edits    []string
		want     string
	}{
		{"one that leads to them", nil, ""},
		{"a misspelt label", []string{"{selector: {app: web}", "{selector: {app: wbe}"}, "app=wbe"},
		{"a label that a controller sets", []string{"{selector: {app: web}", "{selector: {statefulset.kubernetes.io/pod-name: web-0}"}, ""},
		{"no selector", []string{"{selector: {app: web}, ", "{"}, ""},
		{"in another namespace", []string{"kind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}",
			"kind: Service\nmetadata: {name: web, namespace: other}\nspec: {selector: {app: wbe}"}, ""},
	} {
		text := app
		for i := 0; i < len(row.edits); i += 2 {
			text = strings.Replace(text, row.edits[i], row.edits[i+1], 1)
		}
		got := ""
		for _, a := range check.Apps(objects(t, text), nil) {
			got += a.Reading.Unmatched
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}

// What an apply changes for pods of the version before.
func TestChanges(t *testing.T) {
	for _, row := range []struct {
		sentence string
		edits    []string
		want     []string
	}{
		{"nothing", nil, nil},
		{"a selector that old pods do not match", []string{"labels: {app: web}", "labels: {app: web, v: \"2\"}", "{selector: {app: web}",
			"{selector: {app: web, v: \"2\"}"},
			[]string{"selector app=web to app=web,v=2, which pods of the old version do not have"}},
		{"a number for the name of the same port", []string{"targetPort: http", "targetPort: 8080"}, nil},
		{"another number", []string{"targetPort: http", "targetPort: 9090"},
			[]string{"targetPort http to 9090, also for pods of the old version"}},
		{"a port of each version its own", []string{"containerPort: 8080", "containerPort: 9090"}, nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			text := app
			for i := 0; i < len(row.edits); i += 2 {
				text = strings.Replace(text, row.edits[i], row.edits[i+1], 1)
			}
			apps := check.Apps(objects(t, text), objects(t, app))
			if diff := cmp.Diff(row.want, apps[0].Reading.Changed); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
