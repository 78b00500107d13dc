package switchover

import (
	"context"
	"net/http"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// Lanes of users who ask a canary, and of all others.
const (
	others    = "without-the-header"
	some      = "with-the-header"
	meanwhile = "without-the-header-while-promoted"
	promoted  = "without-the-header-once-promoted"
)

// byHeader: a Service chooses pods, not users. Proxies behind the clients' Service send requests with a header to the canary's Service
// and others to that of the stable version, as ingress-nginx does with canary-by-header, and an HTTPRoute of the Gateway API by a match of
// headers. The canary is promoted by proxies that send everybody to it: a rolling update of theirs, which costs nothing as they drain. A
// canary that answers 500 fails the requests of the users who asked for it.
func byHeader() []harness.Scenario {
	app := fixtures.App{Replicas: 2}
	app.AddDrain()
	broken := app
	broken.Env = &corev1.EnvVar{Name: "ROLLCALL_STATUS", Value: "500"}
	const each = 30
	return harness.Scenario{
		App:    app,
		Expect: []evidence.Expectation{verdict.AllAnswered(others), verdict.AnsweredBy(others, "v1")},
	}.Twins(harness.Twin{
		ID: "canary-by-header",
		Claim: "users who send a header are answered by the canary alone and others by the stable version alone, " +
			"and promoting the canary fails no request",
		Kind: harness.InSteps{Outside: true, Lasts: time.Minute, Do: func(ctx context.Context, steps *harness.Steps) {
			canary := routed(ctx, steps, app, app)
			requestsOf(steps, others, nil).Send(ctx, each)
			withHeader := requestsOf(steps, some, asked)
			withHeader.Send(ctx, each)
			steps.Scale(ctx, app.StandaloneName("v2"), app.Replicas)
			steps.Until(ctx, func(s observe.State) bool { return routes(s, "v2", int(app.Replicas)) })
			written := harness.Must(rollout.Edit(ctx, steps.Client.AppsV1().Deployments(steps.Namespace), fixtures.Router,
				func(d *appsv1.Deployment) {
					d.Spec.Template.Spec.Containers[0].Args = fixtures.RouterArgs(canary, canary)
				}))
			while := requestsOf(steps, meanwhile, nil)
			for n := 1; n%10 != 0 || !routersReady(ctx, steps, written); n++ {
				while.Send(ctx, 1)
				withHeader.Send(ctx, 1)
				steps.Pause(ctx, 50*time.Millisecond)
			}
			requestsOf(steps, promoted, nil).Send(ctx, each)
		}},
		Expect: []evidence.Expectation{
			verdict.AllAnswered(some),
			verdict.AnsweredBy(some, "v2"),
			verdict.AllAnswered(meanwhile),
			verdict.AnsweredBy(meanwhile, "v1", "v2"),
			verdict.AllAnswered(promoted),
			verdict.AnsweredBy(promoted, "v2"),
		},
	}, harness.Twin{
		ID:    "canary-by-header-broken",
		Claim: "a canary that answers 500 fails every request of users who send a header, and none of others",
		Kind: harness.InSteps{Outside: true, Do: func(ctx context.Context, steps *harness.Steps) {
			routed(ctx, steps, app, broken)
			without, with := requestsOf(steps, others, nil), requestsOf(steps, some, asked)
			for range each { // in turn
				without.Send(ctx, 1)
				with.Send(ctx, 1)
			}
		}},
		Expect: []evidence.Expectation{verdict.AllFail(some, evidence.BadStatus)},
	})
}

// asked is what users send who ask for the canary.
var asked = http.Header{fixtures.CanaryHeader: {fixtures.CanaryValue}}

// requestsOf returns a lane of users, each of whose requests has a new connection.
func requestsOf(steps *harness.Steps, name string, header http.Header) *harness.Requests {
	return steps.RequestsWith(name, evidence.Fresh, loadgen.DefaultTimeout, header)
}

// routed creates a stable version, a canary of one pod, and proxies before them, and returns the URL of the canary's Service once
// clients are answered. Nodes may write rules for a Service later than its pods are ready.
func routed(ctx context.Context, steps *harness.Steps, stable, canary fixtures.App) string {
	services, deployments := steps.Client.CoreV1().Services(steps.Namespace), steps.Client.AppsV1().Deployments(steps.Namespace)
	create := func(app fixtures.App, version string, replicas int32) (url string) {
		harness.Must(deployments.Create(ctx, app.Standalone(steps.Into, version, replicas), metav1.CreateOptions{}))
		return fixtures.HTTPURL(harness.Must(services.Create(ctx, app.VersionService(steps.Into, version), metav1.CreateOptions{})))
	}
	stableURL, canaryURL := create(stable, "v1", stable.Replicas), create(canary, "v2", 1)
	steps.Until(ctx, func(s observe.State) bool { return routes(s, "v1", int(stable.Replicas)) && routes(s, "v2", 1) })
	written := harness.Must(deployments.Create(ctx, fixtures.RouterDeployment(steps.Into, stableURL, canaryURL), metav1.CreateOptions{}))
	harness.Check(poll.Until(ctx, 200*time.Millisecond, func() (bool, error) { return routersReady(ctx, steps, written), nil }))
	steps.Expose(ctx, stable, fixtures.ToRouter)
	steps.Reach(ctx)
	return canaryURL
}

// routes reports whether n pods of a version are available, and the rules of every observed node route to as many.
func routes(s observe.State, version string, n int) bool {
	for _, pods := range s.Rules {
		routed := 0
		for _, p := range pods {
			if p.Version == version {
				routed++
			}
		}
		if routed != n {
			return false
		}
	}
	return s.Available(version) == n
}

// routersReady reports whether the proxies are rolled out as they were written, and no other pod of theirs is left.
func routersReady(ctx context.Context, steps *harness.Steps, written *appsv1.Deployment) bool {
	d := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Get(ctx, written.Name, metav1.GetOptions{}))
	pods := harness.Must(steps.Client.CoreV1().Pods(steps.Namespace).List(ctx, fixtures.Routers())).Items
	return d.Generation >= written.Generation && rollout.Complete(d) && len(pods) == int(*written.Spec.Replicas)
}
