package during

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/loadgen"
)

func TestAServiceOfYours(t *testing.T) {
	service := func(name, ip string) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Spec: corev1.ServiceSpec{ClusterIP: ip,
			Ports: []corev1.ServicePort{{Name: "http", Port: 80}, {Name: "admin", Port: 8080}}}}
	}
	client := fake.NewClientset(service("web", "10.0.0.7"), service("pods", corev1.ClusterIPNone))
	for _, row := range []struct {
		sentence, text string
		port           int32
		path, refused  string
	}{
		{"its first port, if none is named", "shop/web", 80, "/", ""},
		{"a port by its number", "shop/web:8080", 8080, "/", ""},
		{"a port by its name, and what is asked for", "shop/web:admin/health/live", 8080, "/health/live", ""},
		{"what is asked for alone", "shop/web/health?deep=1", 80, "/health?deep=1", ""},
		{"a port by its number, asked over TLS", "shop/https:web:8080/", 8080, "/", ""},
		{"another scheme", "shop/ftp:web:80", 0, "", "--service=shop/ftp:web:80: it does not name a namespace and a Service"},
		{"too many words", "shop/https:web:80:81", 0, "", "--service=shop/https:web:80:81: it does not name a namespace and a Service"},
		{"no namespace", "web", 0, "", "--service=web: it does not name a namespace and a Service"},
		{"no name", "shop/", 0, "", "--service=shop/: it does not name a namespace and a Service"},
		{"no port where one should be", "shop/web:", 0, "", "--service=shop/web:: it does not name a namespace and a Service"},
		{"one that is not there", "shop/none", 0, "", `service shop/none: services "none" not found: choose one that you may read: kubectl get services -n shop shows them`},
		{"one without an address", "shop/pods", 0, "", "service shop/pods: it has no ClusterIP: its clients"},
		{"a port that it has not", "shop/web:443", 0, "", "service shop/web: it has no port 443: choose one of: http (80), admin (8080)"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			a := settings{http: &loadgen.UserHTTP{}}
			named, err := parseService(row.text)
			if err == nil {
				a.service = &named
				m := &maintenance{settings: a}
				s, failed := a.existing(t.Context(), client, m.scenario())
				if err = failed; err == nil {
					load := s.UnderLoad()
					found := load.Existing.Service
					if found.Spec.ClusterIP != "10.0.0.7" || len(found.Spec.Ports) != 1 || found.Spec.Ports[0].Port != row.port ||
						load.UserApp.Path() != row.path || s.App.Name != "web" || load.Existing.URL != "" ||
						load.Existing.Secure != strings.Contains(row.text, "https:") {
						t.Errorf("asks %+v for %s", found.Spec, load.UserApp.Path())
					}
					if len(s.Limits) != 1 || s.Limits[0].ID != evidence.PortsNotAsked {
						t.Errorf("limits %+v", s.Limits)
					}
					stands, err := load.Rollout.Deploy(t.Context(), client, fixtures.Destination{}, s.App, 0)
					if err != nil || stands != found {
						t.Errorf("deployed %v, %v", stands, err)
					}
				}
			}
			if row.refused == "" && err != nil || row.refused != "" && (!usage.Is(err) || !strings.HasPrefix(err.Error(), row.refused)) {
				t.Errorf("error %v, want %q", err, row.refused)
			}
		})
	}
	for _, action := range client.Actions() {
		if action.GetVerb() != "get" {
			t.Errorf("%s %s", action.GetVerb(), action.GetResource().Resource)
		}
	}
}

func TestAURLOfYours(t *testing.T) {
	for _, row := range []struct {
		text string
		ok   bool
	}{
		{"http://shop.example.com", true}, {"http://10.0.0.1:8080/health?x=1", true}, {"https://shop.example.com/", true},
		{"ftp://shop.example.com/", false}, {"https://me:secret@shop.example.com/", false},
		{"shop.example.com", false}, {"http:///x", false}, {"http://%zz", false},
	} {
		err := (Request{}).checkURL(row.text)
		if (err == nil) != row.ok || err != nil && (!usage.Is(err) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v", row.text, err)
		}
	}
	a := settings{url: "http://shop.example.com/health", connectTo: "10.0.0.1:80", http: &loadgen.UserHTTP{Header: "X-Version"}}
	m := &maintenance{settings: a}
	s, err := a.existing(t.Context(), nil, m.scenario())
	if to := s.UnderLoad().Existing; err != nil || to.Service != nil || to.URL != a.url || to.Address != a.connectTo {
		t.Errorf("%+v, %v", to, err)
	}
	if app := s.UnderLoad().UserApp; app.HTTP() != a.http || !app.Facts().Named {
		t.Errorf("asked as %+v, which names its version: %v", app.HTTP(), app.Facts().Named)
	}
	own := m.scenario()
	same, err := settings{}.existing(t.Context(), nil, own)
	if same.UnderLoad().Existing != nil || same.UnderLoad().UserApp != nil || err != nil || cmp.Diff(own.App, same.App) != "" {
		t.Error("Rollcall's own app is not asked where none is named")
	}
}
