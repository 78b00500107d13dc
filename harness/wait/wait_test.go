package wait

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

// TestWaits changes what the API server has over time.
func TestWaits(t *testing.T) {
	for _, row := range []struct {
		sentence  string
		forChange bool
		limit     time.Duration
		at        map[time.Duration]func(*app)
		prints    string
		err       string
	}{
		{"what is so already is not waited for", false, time.Minute, nil,
			"service shop/web: behind it are only ready pods of Deployment web, revision 2: 3, after 0 ms\n" + follow, ""},
		{"an old pod is gone after 8 s", false, time.Minute, map[time.Duration]func(*app){
			0: func(a *app) { a.pod("web-old", "1") }, 8 * time.Second: func(a *app) { a.pods = a.pods[:3] },
		}, "0 ms of 1m0s: web-old is of another revision\n" +
			"service shop/web: behind it are only ready pods of Deployment web, revision 2: 3, after 8.00 s\n" + follow, ""},
		{"another revision is waited for first", true, time.Minute, map[time.Duration]func(*app){
			5 * time.Second: func(a *app) {
				a.deployment.Spec.Template.Labels["v"] = "1"
				for _, p := range a.pods {
					p.Labels["pod-template-hash"] = "1"
				}
			},
		}, "0 ms of 1m0s: Deployment web has no revision after 2 yet\n" +
			"service shop/web: behind it are only ready pods of Deployment web, revision 1: 3, after 5.00 s\n" + follow, ""},
		{"it takes too long", false, 10 * time.Second, map[time.Duration]func(*app){0: func(a *app) { a.pod("web-old", "1") }},
			"0 ms of 10s: web-old is of another revision\n", "service shop/web: not over after 10s: web-old is of another revision"},
		{"it is paused midway", false, time.Minute, map[time.Duration]func(*app){3 * time.Second: func(a *app) {
			a.deployment.Spec.Paused = true
		}, 0: func(a *app) { a.pod("web-old", "1") }}, "0 ms of 1m0s: web-old is of another revision\n",
			"service shop/web: Deployment web replaces no more pods by itself: it is paused"},
		{"the API server does not answer for a while", false, time.Minute, map[time.Duration]func(*app){
			0: func(a *app) { a.silent = errors.New("connection refused") }, 4 * time.Second: func(a *app) { a.silent = nil },
		}, "0 ms of 1m0s: connection refused\n" +
			"service shop/web: behind it are only ready pods of Deployment web, revision 2: 3, after 4.00 s\n" + follow, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, begun, out := newApp(), time.Now(), &bytes.Buffer{}
				w := waiter{namespace: "shop", service: "web", out: out, begun: begun, client: a.changing(begun, row.at)}
				if row.forChange {
					w.known = "2"
				}
				ctx, cancel := context.WithTimeoutCause(t.Context(), row.limit, errors.New("not over after "+row.limit.String()))
				defer cancel()
				err := w.wait(ctx, row.limit)
				if err == nil && row.err != "" || err != nil && err.Error() != row.err || out.String() != row.prints {
					t.Errorf("error %v; prints\n%s", err, out)
				}
			})
		})
	}
}

const follow = "no other pod of it runs; nodes' rules, which were not read, follow within about a second\n"

// changing returns a client of an API server that has the app, changed at times.
func (a *app) changing(begun time.Time, at map[time.Duration]func(*app)) *fake.Clientset {
	client := fake.NewClientset()
	client.PrependReactor("*", "*", func(asked k8stesting.Action) (bool, runtime.Object, error) {
		for when, edit := range at {
			if time.Since(begun) >= when {
				delete(at, when)
				edit(a)
			}
		}
		if a.silent != nil {
			return true, nil, a.silent
		}
		return k8stesting.ObjectReaction(a.client().Tracker())(asked)
	})
	return client
}

func TestOptions(t *testing.T) {
	for _, row := range []struct {
		sentence string
		o        Options
		want     string
	}{
		{"a Service and a time", Options{Service: "shop/web", Timeout: "90s"}, ""},
		{"a name that is none", Options{Service: ":"}, "--service=:: it does not name a Service: write it like shop/web"},
		{"no time", Options{Service: "web", Timeout: "soon"}, "--timeout=soon: it is not a time: write it like 10m"},
		{"a time that is over", Options{Service: "web", Timeout: "0s"}, "--timeout=0s: it is not a time: write it like 10m"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			_, err := row.o.request()
			if err == nil && row.want != "" || err != nil && err.Error() != row.want {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestPrintRights(t *testing.T) {
	var b bytes.Buffer
	if err := (Options{Service: "shop/web"}).PrintRights(&b); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"kind: Role\n", "namespace: shop\n", "resources: [endpointslices]\n  verbs: [list]\n"} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("%s lacks %q", &b, text)
		}
	}
	if err := (Options{Service: "web"}).PrintRights(&b); err == nil {
		t.Error("a role is in a namespace")
	}
}
