package userapp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/userapp"
)

const nginx = "../../suites/own/testdata/nginx/app.yaml"

func TestFacts(t *testing.T) {
	app, err := userapp.Read(nginx)
	if err != nil {
		t.Fatal(err)
	}
	want := &evidence.UserApp{Named: true, Probed: true, Grace: 30 * time.Second, Replicas: 3, Adapted: []string{"Ingress nginx is left out"},
		Answers: "nginx", Asked: map[string]any{"httpGet": map[string]any{"path": "/", "port": int64(80)}}}
	want.Workload = map[string]any{"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "nginx", "namespace": "shop"},
		"spec": map[string]any{"replicas": int64(3), "template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
			"name": "nginx", "readinessProbe": map[string]any{"periodSeconds": int64(1),
				"httpGet": map[string]any{"path": "/", "port": int64(80)}}}}}}}}
	if diff := cmp.Diff(want, app.Facts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := app.Images(); len(got) != 1 || got[0] != "localhost/nginx:debian" {
		t.Errorf("images %v", got)
	}
}

// Advice is about the container that has the Service's port, whichever container a version changes.
func TestFactsAreOfTheContainerThatAnswers(t *testing.T) {
	app, err := userapp.Read(copyOf(t, map[string]*strings.Replacer{
		"app.yaml": strings.NewReplacer("{name: blue,", "{name: blue, container: config,", "{name: green,", "{name: green, container: config,"),
		"nginx.yaml": strings.NewReplacer("      containers:\n", "      containers:\n      - name: config\n        image: localhost/config:1\n"+
			"        lifecycle: {preStop: {sleep: {seconds: 7}}}\n"),
	}))
	if err != nil {
		t.Fatal(err)
	}
	if f := app.Facts(); f.Answers != "nginx" || !f.Probed || f.PreStop != 0 || len(f.Unhooked) != 1 || f.Unhooked[0] != "nginx" {
		t.Errorf("%+v", f)
	}
}

// A rollout may remove as many pods as the manifest says, or as Kubernetes defaults.
func TestFactsSayHowManyPodsARolloutMayRemove(t *testing.T) {
	for _, row := range []struct {
		sentence, strategy string
		want               evidence.UserApp
	}{
		{"a quarter of three is none", "", evidence.UserApp{}},
		{"as the manifest says", "  strategy: {rollingUpdate: {maxUnavailable: 100%}}\n", evidence.UserApp{Unavailable: 3}},
		{"all are replaced at once", "  strategy: {type: Recreate}\n", evidence.UserApp{Recreate: true}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			app, err := userapp.Read(copyOf(t, map[string]*strings.Replacer{
				"nginx.yaml": strings.NewReplacer("  replicas: 3\n", "  replicas: 3\n"+row.strategy),
			}))
			if err != nil {
				t.Fatal(err)
			}
			if f := app.Facts(); f.Unavailable != row.want.Unavailable || f.Recreate != row.want.Recreate {
				t.Errorf("%d may be removed, recreate %v", f.Unavailable, f.Recreate)
			}
		})
	}
}

// The owner's objects are deployed into our namespace, with our labels; the rollout is to the next version.
func TestUpdate(t *testing.T) {
	app, err := userapp.Read(nginx)
	if err != nil {
		t.Fatal(err)
	}
	client, update := fake.NewClientset(), app.Update()
	service, err := update.Deploy(t.Context(), client, fixtures.Destination{Namespace: "ns"}, fixtures.App{}, 30080)
	if err != nil {
		t.Fatal(err)
	}
	if service.Namespace != "ns" || service.Spec.Ports[0].NodePort != 30080 || service.Labels[fixtures.ManagedByLabel] != "rollcall" {
		t.Errorf("%+v", service)
	}
	look := func(version string) {
		t.Helper()
		d, err := client.AppsV1().Deployments("ns").Get(t.Context(), "nginx", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		template := d.Spec.Template
		if template.Labels[userapp.VersionLabel] != version || template.Labels["app"] != "nginx" ||
			template.Spec.Containers[0].Env[0].Value != version || *d.Spec.Replicas != 3 {
			t.Errorf("%+v", template)
		}
	}
	look("blue")
	if err := update.Begin(t.Context(), client, fixtures.Destination{Namespace: "ns"}, fixtures.App{}); err != nil {
		t.Fatal(err)
	}
	look("green")
	if err := app.Back().Begin(t.Context(), client, fixtures.Destination{Namespace: "ns"}, fixtures.App{}); err != nil {
		t.Fatal(err)
	}
	look("blue")
	if _, err := client.CoreV1().ConfigMaps("ns").Get(t.Context(), "nginx", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}

// What the API server rejects of a Service that has no address outside the cluster is left out; an alias of another host stays one.
func TestServicesOfAnotherCluster(t *testing.T) {
	const ports = "  ports:\n  - {name: http, port: 8000, targetPort: 80}\n"
	const outside = "  type: LoadBalancer\n  clusterIP: 10.0.0.1\n  clusterIPs: [10.0.0.1]\n  externalTrafficPolicy: Local\n" +
		"  healthCheckNodePort: 30001\n  loadBalancerClass: example.com/lb\n  loadBalancerSourceRanges: [10.0.0.0/8]\n" +
		"  allocateLoadBalancerNodePorts: false\n"
	const inside = "  publishNotReadyAddresses: true\n  internalTrafficPolicy: Local\n  trafficDistribution: PreferClose\n" +
		"  sessionAffinity: ClientIP\n  sessionAffinityConfig: {clientIP: {timeoutSeconds: 7}}\n"
	const alias = "apiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec: {type: ExternalName, externalName: db.example.com}\n---\n"
	app, err := userapp.Read(copyOf(t, map[string]*strings.Replacer{"nginx.yaml": strings.NewReplacer(ports, outside+inside+ports,
		"apiVersion: apps/v1", alias+"apiVersion: apps/v1")}))
	if err != nil {
		t.Fatal(err)
	}
	client := fake.NewClientset()
	if _, err := app.Update().Deploy(t.Context(), client, fixtures.Destination{Namespace: "ns"}, fixtures.App{}, 0); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]corev1.ServiceSpec{
		"nginx": {Selector: map[string]string{"app": "nginx"},
			Ports:                    []corev1.ServicePort{{Name: "http", Port: 8000, TargetPort: intstr.FromInt32(80)}},
			PublishNotReadyAddresses: true, InternalTrafficPolicy: new(corev1.ServiceInternalTrafficPolicyLocal),
			TrafficDistribution: new(corev1.ServiceTrafficDistributionPreferClose), SessionAffinity: corev1.ServiceAffinityClientIP,
			SessionAffinityConfig: &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: new(int32(7))}}},
		"db": {Type: corev1.ServiceTypeExternalName, ExternalName: "db.example.com"},
	} {
		is, err := client.CoreV1().Services("ns").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, is.Spec); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A manifest is read once: one strategy does not see what the other does to it.
func TestUpdateAndBackShareNothing(t *testing.T) {
	app, err := userapp.Read(nginx)
	if err != nil {
		t.Fatal(err)
	}
	for _, strategy := range []interface{ Versions() (string, string) }{app.Update(), app.Back(), app.Update()} {
		old, next := strategy.Versions()
		if old == next {
			t.Errorf("from %s to %s", old, next)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	text, err := os.ReadFile(nginx)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(filepath.Dir(nginx), "nginx.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence   string
		was, is    string // in the file
		has, gets  string // in the manifest
		says       string
		ofManifest bool
	}{
		{"a misspelt field", "service: nginx", "servise: nginx", "", "", `unknown field "servise"`, false},
		{"a misspelt field further in", "{path: /}", "{pth: /}", "", "", `unknown field "request.pth"`, false},
		{"another kind of workload", "kind: Deployment,", "kind: DaemonSet,", "", "", `workload.kind: "DaemonSet": use Deployment or StatefulSet`,
			false},
		{"a workload that is not there", "name: nginx}", "name: shop}", "", "", "workload: no manifest has Deployment shop", false},
		{"a Service that is not there", "service: nginx", "service: shop", "", "", "service: no manifest has Service shop", false},
		{"a manifest that is not there", "[nginx.yaml]", "[shop.yaml]", "", "", "cannot be read", true},
		{"no manifest", "[nginx.yaml]", "[]", "", "", "manifests: none is named", false},
		{"versions with one name", "name: green", "name: blue", "", "", `new.name: "blue" is the old one's`, false},
		{"a version in two places", "{header: X-Version}", "{header: X-Version, pointer: /v}", "", "",
			"request, reply: version: give only one of header, pointer and pattern", false},
		{"a container that is not there", `old: {name: blue,`, `old: {name: blue, container: web,`, "", "",
			`container: nginx has no container "web"`, false},
		{"a header whose file is not there", "{path: /}", "{path: /, headers: {Authorization: '@token'}}", "", "",
			"request, reply: header Authorization=@token: ", false},
		{"a header whose variable is not set", "{path: /}", "{path: /, headers: {Authorization: $NO_SUCH}}", "", "",
			"request, reply: header Authorization=$NO_SUCH: the environment variable NO_SUCH is not set", false},
		{"a secret that stands in the file", "{path: /}", "{path: /, headers: {X-Api-Key: open-sesame}}", "", "",
			"request, reply: header X-Api-Key: its value would stand in the file: write X-Api-Key: '@FILE' or $VARIABLE", false},
		{"a URL with a secret in a header", "{path: /}", "{path: /, headers: {X-Back: 'http://me:open-sesame@shop/'}}", "", "",
			"request, reply: header X-Back: its value would stand in the file: ", false},
		{"a secret in the path", "{path: /}", "{path: '/a?token=open-sesame'}", "", "",
			`request.path: "/a?token=(withheld)": the value of the parameter would stand in the report: send it as a header`, false},
		{"a secret in a path that is none", "{path: /}", "{path: 'a?token=open-sesame'}", "", "", `request.path: "a?token=(withheld)": `, false},
		{"a secret in the path of a Service", "service: nginx", "service: 'nginx:80/a?token=open-sesame'", "", "",
			`service: "nginx:80/a?token=(withheld)": write it like`, false},
		{"a body that is not there", "{path: /}", "{path: /, body: none.json}", "", "", "request, reply: body none.json: ", false},
		{"an unknown method", "{path: /}", "{path: /, method: FETCH}", "", "", `request, reply: method "FETCH"`, false},
		{"an invalid path", "{path: /}", "{path: a}", "", "", `request.path: "a": begin it with /`, false},
		{"an unknown Pod Security Standard", "podSecurity: baseline", "podSecurity: none", "", "", `podSecurity: "none"`, false},
		{"a headless Service", "", "", "selector: {app: nginx}\n  ports", "clusterIP: None\n  selector: {app: nginx}\n  ports",
			"service: nginx is headless", false},
		{"a Service of other pods", "", "", "selector: {app: nginx}\n  ports", "selector: {app: shop}\n  ports",
			"service: nginx selects app=shop, which the pods of nginx do not have", false},
		{"an invalid manifest", "", "", "replicas: 3", "replicas: three", "document 3: ", true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "app.yaml")
			for path, data := range map[string]string{
				file:                             strings.Replace(string(text), row.was, row.is, 1),
				filepath.Join(dir, "nginx.yaml"): strings.Replace(string(manifest), row.has, row.gets, 1),
			} {
				if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := userapp.Read(file)
			if err == nil || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "\n") ||
				strings.Contains(err.Error(), "sesame") || !row.ofManifest &&
				!strings.HasPrefix(err.Error(), file+": ") {
				t.Errorf("%v", err)
			}
		})
	}
}
