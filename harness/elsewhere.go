package harness

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/observe"
	"example.com/rollcall/loadgen"
)

// Elsewhere is an app that is there already: it is asked and watched, and nothing else is done to it.
type Elsewhere struct {
	Service *corev1.Service // that pods ask, by its ClusterIP and at its first port; nil: they ask the control pod alone
	Secure  bool            // it is asked over TLS, by its name
	Pods    *observe.App    // behind the Service; nil: they may not be watched
	URL     string          // that the client outside the cluster asks; empty: there is none
	Address string          // with a port, that its connections are opened to; empty: the URL's
	Proxy   string          // variable of the environment that has a proxy for the URL, which the load does not use; empty: none has
	// Explain says what keeps some clients from good replies, in one line.
	Explain func(ctx context.Context, without []Unanswered) error
}

// An Unanswered client gets no good reply of an app that is there already.
type Unanswered struct {
	Pod    *corev1.Pod // nil: it is outside the cluster
	Target string
	Last   loadgen.NoReplyError
}

func (u Unanswered) Error() string { return fmt.Sprintf("%s: %s", u.Target, u.Last.Because) }
