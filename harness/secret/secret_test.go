package secret

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestURLs(t *testing.T) {
	for _, row := range []struct{ sentence, text, want string }{
		{"a URL without secrets", "https://shop.example.com:8443/a?page=2#top", "https://shop.example.com:8443/a?page=2#top"},
		{"a user and a password", "http://jane:s3cret@shop/a", "http://(withheld)@shop/a"},
		{"a token as the user", "https://s3cret@shop", "https://(withheld)@shop"},
		{"a parameter among others", "https://shop/?page=2&api_key=s3cret&sort=a", "https://shop/?page=2&api_key=(withheld)&sort=a"},
		{"two URLs in a text", `Get "http://a:s3cret@b/": then https://c/?access_token=s3cret`,
			`Get "http://(withheld)@b/": then https://c/?access_token=(withheld)`},
		{"an @ of the path", "https://shop/@jane", "https://shop/@jane"},
		{"no URL", "token=3, key: 4", "token=3, key: 4"},
	} {
		if got := URLs(row.text); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}

func TestArgs(t *testing.T) {
	for _, row := range []struct {
		sentence string
		words    []string
		want     string // separated by |
	}{
		{"nothing is secret", []string{"kubectl", "rollout", "restart", "deploy/web", "-n", "shop"},
			"kubectl|rollout|restart|deploy/web|-n|shop"},
		{"a value of helm", []string{"helm", "upgrade", "--set", "db.password=s3cret,x=1", "web"},
			"helm|upgrade|--set|db.password=(withheld)|web"},
		{"with the flag in one word", []string{"helm", "--set=a=1,db.password=s3cret"}, "helm|--set=a=1,db.password=(withheld)"},
		{"a flag and its value", []string{"deploy", "--token", "s3cret", "-v"}, "deploy|--token|(withheld)|-v"},
		{"a flag with its value", []string{"deploy", "--api-key=s3cret with spaces"}, "deploy|--api-key=(withheld)"},
		{"a flag without one, and another", []string{"docker", "login", "--password-stdin", "-v", "host"},
			"docker|login|--password-stdin|-v|host"},
		{"a variable", []string{"env", "DB_PASSWORD=s3c&ret;x", "PAGE=2", "run"}, "env|DB_PASSWORD=(withheld)|PAGE=2|run"},
		{"a header", []string{"curl", "-H", "Authorization: Bearer s3cret", "-H", "X-Page: 2"}, "curl|-H|Authorization: (withheld)|-H|X-Page: 2"},
		{"a URL", []string{"curl", "https://jane:s3cret@shop/"}, "curl|https://(withheld)@shop/"},
		{"a user of curl", []string{"curl", "-u", "jane:s3cret", "shop"}, "curl|-u|(withheld)|shop"},
		{"a Secret of kubectl", []string{"kubectl", "create", "secret", "generic", "db", "--from-literal=a=s3cret"},
			"kubectl|create|secret|generic|db|--from-literal=(withheld)"},
		{"a patch", []string{"kubectl", "patch", "-p", `{"stringData": {"password": "s3cret", "user": "jane"}}`},
			`kubectl|patch|-p|{"stringData": {"password": (withheld), "user": "jane"}}`},
		{"a script with a flag", []string{"sh", "-c", "deploy --token s3cret && echo done"}, "sh|-c|deploy --token (withheld) && echo done"},
		{"a script with a variable", []string{"sh", "-c", "PASS='s3 cret' ./deploy.sh"}, "sh|-c|PASS=(withheld)"},
		{"a script with a variable inside", []string{"sh", "-c", "cd a; PASS='s3 cret' ./deploy.sh"}, "sh|-c|cd a; PASS=(withheld) ./deploy.sh"},
		{"a script with headers", []string{"sh", "-c", `curl -H "X-Api-Key:s3cret" -H 'Cookie: a=s3cret; b=s3cret' shop`},
			`sh|-c|curl -H "X-Api-Key:(withheld)" -H 'Cookie: (withheld)' shop`},
		{"a script with a user", []string{"sh", "-c", "curl --user jane:s3cret shop"}, "sh|-c|curl --user (withheld) shop"},
		{"a script with a flag that has no value", []string{"sh", "-c", "login --password-stdin -v"}, "sh|-c|login --password-stdin -v"},
		{"an image", []string{"kubectl", "set", "image", "deploy/web", "web=registry/auth-proxy:v2", "auth:v2"},
			"kubectl|set|image|deploy/web|web=registry/auth-proxy:v2|auth:v2"},
	} {
		got := strings.Join(Args(row.words), "|")
		if got != row.want {
			t.Errorf("%s: %s, want %s", row.sentence, got, row.want)
		}
		if strings.Contains(got, "s3c") || strings.Contains(got, "cret'") {
			t.Errorf("%s: a secret is in %s", row.sentence, got)
		}
	}
}

func TestObject(t *testing.T) {
	type object = map[string]any
	pod := object{
		"metadata": object{"name": "web", "annotations": object{"page": "2", "vault/token": "s3cret", "note": "DB_PASS=s3cret"}},
		"spec": object{"serviceAccountName": "token-reader",
			"volumes": []any{object{"csi": object{"volumeAttributes": object{"token": "s3cret", "share": "a"}}}}, "containers": []any{object{
				"env": []any{object{"name": "PAGE", "value": "s3cret"},
					object{"name": "OF", "valueFrom": object{"secretKeyRef": object{"key": "k"}}}},
				"command": []any{"web", "--token", "s3cret"}, "args": []any{"--port=80", "--db=postgres://jane:s3cret@db/"},
				"readinessProbe": object{"httpGet": object{"path": "/a?token=s3cret", "httpHeaders": []any{
					object{"name": "Host", "value": "shop"}, object{"name": "X-Page", "value": "s3cret"}}}},
				"lifecycle": object{"preStop": object{"exec": object{"command": []any{"sh", "-c", "curl -u me:s3cret localhost; sleep 5"}}}},
			}}},
		"status": object{"message": `Get "http://me:s3cret@10.0.0.7/": refused`},
	}
	want := object{
		"metadata": object{"name": "web", "annotations": object{"page": "2", "vault/token": Withheld, "note": "DB_PASS=" + Withheld}},
		"spec": object{"serviceAccountName": "token-reader",
			"volumes": []any{object{"csi": object{"volumeAttributes": object{"token": Withheld, "share": "a"}}}}, "containers": []any{object{
				"env": []any{object{"name": "PAGE", "value": Withheld},
					object{"name": "OF", "valueFrom": object{"secretKeyRef": object{"key": "k"}}}},
				"command": []any{"web", "--token", Withheld}, "args": []any{"--port=80", "--db=postgres://" + Withheld + "@db/"},
				"readinessProbe": object{"httpGet": object{"path": "/a?token=" + Withheld, "httpHeaders": []any{
					object{"name": "Host", "value": "shop"}, object{"name": "X-Page", "value": Withheld}}}},
				"lifecycle": object{"preStop": object{"exec": object{"command": []any{"sh", "-c", "curl -u " + Withheld + " localhost; sleep 5"}}}},
			}}},
		"status": object{"message": `Get "http://` + Withheld + `@10.0.0.7/": refused`},
	}
	Object(pod)
	if diff := cmp.Diff(want, pod); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
