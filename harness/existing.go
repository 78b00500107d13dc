package harness

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/loadgen"
)

// Existing is an app that exists already. It gets requests and is watched; nothing else is done to it.
type Existing struct {
	Service *corev1.Service // that pods request, by its ClusterIP and first port; nil: they request the control pod alone
	Secure  bool            // requests use TLS, with the Service's name
	// NotAsked are the other ports of the Service.
	NotAsked []corev1.ServicePort
	Pods     *observe.App // behind the Service; nil: there is no permission to watch them
	New      bool         // its pods were just made, and may answer badly until they have their configuration
	URL      string       // for the client outside the cluster; empty: there is no such client
	Address  string       // host and port that the URL's connections are opened to; empty: those of the URL
	Control  string       // URL past the app, for a control lane of that client; empty: it has none
	Proxy    string       // environment variable with a proxy for the URL, which the load does not use; empty: there is none
	// Explain returns an error that says in one line why some clients get no good reply.
	Explain func(ctx context.Context, without []Unanswered) error
}

// An Unanswered client gets no good reply from an app that exists already.
type Unanswered struct {
	Pod    *corev1.Pod // of the client; nil: the client is outside the cluster
	Target string
	Last   loadgen.NoReplyError
}

func (u Unanswered) Error() string {
	return fmt.Sprintf("%s: %s", secret.URLs(u.Target), u.Last.Because)
}
