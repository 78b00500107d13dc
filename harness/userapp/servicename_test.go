package userapp_test

import (
	"testing"

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
		"shop/https:web:443/":     {Namespace: "shop", Name: "web", Port: "443", Path: "/", Secure: true},
		"https:web:443":           {Name: "web", Port: "443", Secure: true},
		"https:web":               {Name: "https", Port: "web"},
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
