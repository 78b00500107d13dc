package userapp_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/userapp"
)

func TestParseServiceName(t *testing.T) {
	for text, want := range map[string]userapp.ServiceName{
		"web":                     {Name: "web"},
		"web/":                    {Name: "web", Path: "/"},
		"web:http":                {Name: "web", Port: "http"},
		"web:http/healthz?full=1": {Name: "web", Port: "http", Path: "/healthz?full=1"},
		"shop/web":                {Namespace: "shop", Name: "web"},
		"shop/web/":               {Namespace: "shop", Name: "web", Path: "/"},
		"shop/web:8080/orders/7":  {Namespace: "shop", Name: "web", Port: "8080", Path: "/orders/7"},
		"shop/https:web:443/":     {Namespace: "shop", Name: "web", Port: "443", Path: "/", Scheme: "https"},
		"https:web:443":           {Name: "web", Port: "443", Scheme: "https"},
		"https:shop/web:8443/x:y": {Namespace: "shop", Name: "web", Port: "8443", Path: "/x:y", Scheme: "https"},
		"http:web:8443/x":         {Name: "web", Port: "8443", Path: "/x", Scheme: "http"},
		"https:web":               {Name: "https", Port: "web"},
		"https:shop/http:web:80":  {},
		"":                        {},
		"a:b:c":                   {},
		"shop/:80":                {},
		"shop/ftp:web:80":         {},
		"shop/web:":               {},
	} {
		got, ok := userapp.ParseServiceName(text)
		if got != want || ok != (want.Name != "") {
			t.Errorf("%s is read as %+v, %t; want %+v", text, got, ok, want)
		}
	}
}

func TestSecureURL(t *testing.T) {
	for port, want := range map[int32]string{443: "https://web.shop.svc/", 8443: "https://web.shop.svc:8443/"} {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
			Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: port}}}}
		if got := userapp.SecureURL(service); got != want {
			t.Errorf("port %d: %s, want %s", port, got, want)
		}
	}
}
