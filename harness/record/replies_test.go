package record

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

// An app that runs already is awaited as long as the obstacle may disappear by itself.
func TestUntilAnAppHasSaid(t *testing.T) {
	refused := &loadgen.NoReplyError{Fault: evidence.Refused}
	status := &loadgen.NoReplyError{Status: http.StatusServiceUnavailable}
	overTLS := &loadgen.NoReplyError{Fault: evidence.Reset, TLS: true}
	forever := func(err error) func(int) error { return func(int) error { return err } }
	for _, row := range []struct {
		sentence string
		answer   func(n int) error // to the n-th request, from 1
		want     error
		asked    time.Duration
		isNew    bool
	}{
		{"one good reply is enough", forever(nil), nil, 0, false},
		{"rules may be written again in half a minute", forever(refused), refused, answerLimit, false},
		{"an error status from the app itself will not go away", forever(status), status, (inARow - 1) * requestEvery, false},
		{"unless it was just made, and has no configuration yet", func(n int) error {
			if n < 3*inARow {
				return status
			}
			return nil
		}, nil, (3*inARow - 1) * requestEvery, true},
		{"nor will an app that speaks TLS stop doing so", forever(overTLS), overTLS, (inARow - 1) * requestEvery, false},
		{"a pod that is warming up may reply with one error", func(n int) error {
			if n < inARow {
				return status
			}
			return nil
		}, nil, (inARow - 1) * requestEvery, false},
		{"an app with a reply now and then may still become reachable", func(n int) error {
			if n%inARow == 0 {
				return refused
			}
			return status
		}, refused, answerLimit, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, n := time.Now(), 0
				got := untilCertain(t.Context(), func() error { n++; return row.answer(n) }, row.isNew)
				asked := time.Since(began)
				if asked != row.asked || row.asked < answerLimit && !errors.Is(got, row.want) || (got == nil) != (row.want == nil) {
					t.Errorf("%v after %v, want %v after %v", got, asked, row.want, row.asked)
				}
			})
		})
	}
}

// The error has the last answer of the app to each client that got no good reply.
func TestAppThatIsThereIsAskedByEveryClient(t *testing.T) {
	status := func(code int) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		t.Cleanup(server.Close)
		return server.URL
	}
	good, bad, worse := status(http.StatusOK), status(http.StatusNotFound), status(http.StatusBadGateway)
	inTheWay := errors.New("in the way")
	for _, row := range []struct {
		sentence         string
		service, outside string // URLs; outside empty: no client there
		control          string // URL that the client outside asks, too; empty: none
		want             map[string]int
	}{
		{"the app answers the pod and the client outside", good, good, "", nil},
		{"the app does not answer the pod", bad, good, "", map[string]int{"agent-a": 404}},
		{"the app does not answer the client outside", good, worse, "", map[string]int{"": 502}},
		{"the app answers neither", bad, worse, "", map[string]int{"agent-a": 404, "": 502}},
		{"there is no client outside", bad, "", "", map[string]int{"agent-a": 404}},
		{"what nobody rolls out answers, too", good, good, good, nil},
		{"what nobody rolls out does not answer", good, good, worse, map[string]int{"": 502}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			api := httptest.NewServer(serveAgent(t, t.TempDir()))
			defer api.Close()
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "agent-a"}}
			asked := userapp.Existing("/", &loadgen.UserHTTP{}, evidence.UserApp{}).HTTP()
			cl := &clients{userHTTP: asked, agents: []*agent{{name: "agent-a", node: "a", pod: pod,
				remote: loadgen.Remote{URL: api.URL, Token: "token"}, lanes: []evidence.Lane{
					{ID: "a-control", Vantage: evidence.FromControl, Conn: evidence.Fresh, Target: good},
					{ID: "a-fresh", Vantage: evidence.FromPod, Conn: evidence.Fresh, Target: row.service}}}}}
			if row.outside != "" {
				cl.agents = append(cl.agents, &agent{name: "outside", lanes: []evidence.Lane{
					{ID: "outside-fresh", Vantage: evidence.FromHost, Conn: evidence.Fresh, Target: row.outside}}})
			}
			if row.control != "" {
				cl.agents[1].lanes = append(cl.agents[1].lanes,
					evidence.Lane{ID: "outside-control", Vantage: evidence.FromControl, Conn: evidence.Fresh, Target: row.control})
			}
			var got map[string]int
			there := &harness.Existing{Explain: func(_ context.Context, without []harness.Unanswered) error {
				got = map[string]int{}
				for _, u := range without {
					name := ""
					if u.Pod != nil {
						name = u.Pod.Name
					}
					got[name] = u.Last.Status
				}
				return inTheWay
			}}
			err := cl.awaitReplies(t.Context(), there, func(string) bool { return false })
			if diff := cmp.Diff(row.want, got); diff != "" || errors.Is(err, inTheWay) != (row.want != nil) || (err == nil) != (row.want == nil) {
				t.Errorf("error %v; who got what (-want +got):\n%s", err, diff)
			}
		})
	}
}

// The harness does not wait for an app by an agent that it cannot reach.
func TestAgentOfAnotherBuildIsNotAwaited(t *testing.T) {
	api := httptest.NewServer(serveAgent(t, t.TempDir()))
	defer api.Close()
	cl := &clients{agents: []*agent{{name: "agent-a", node: "a", remote: loadgen.Remote{URL: api.URL + "/v1", Token: "token"},
		lanes: []evidence.Lane{{ID: "a-fresh", Vantage: evidence.FromPod, Conn: evidence.Fresh}}}}}
	if err := cl.awaitReplies(t.Context(), nil, nil); !errors.Is(err, loadgen.ErrOtherBuild) {
		t.Errorf("error %v, want %v", err, loadgen.ErrOtherBuild)
	}
}

// If no node reports connections that were answered, connections cannot be attributed.
func TestUnheardConnections(t *testing.T) {
	lanes := []evidence.Lane{{ID: "a-fresh", Vantage: evidence.FromPod, Conn: evidence.Fresh, Node: "a", Client: "10.244.1.9"},
		{ID: "b-fresh", Vantage: evidence.FromPod, Conn: evidence.Fresh, Node: "b", Client: "10.244.2.9"},
		{ID: "b-control", Vantage: evidence.FromControl, Conn: evidence.Fresh, Node: "b", Client: "10.244.2.10"},
		{ID: "outside-fresh", Vantage: evidence.FromHost, Conn: evidence.Fresh, TargetNode: "c", Client: "172.18.0.1"}}
	const eBPF = "conntrack of a reported no routed connection from 10.244.1.9, though requests were answered: " +
		"what routes there bypasses conntrack (eBPF, NOTRACK) or uses a zone of its own"
	listening := map[string]string{"a": "", "b": ""}
	for _, row := range []struct {
		sentence string
		listened map[string]string
		routed   []string
		want     string
	}{
		{"a node reported a connection from a pod", listening, []string{"10.244.2.9"}, ""},
		{"the node that is asked from outside reported a connection", map[string]string{"c": ""}, []string{"172.18.0.1"}, ""},
		{"no node reported a connection", listening, nil, eBPF},
		{"a node reported a connection from another client", listening, []string{"10.244.7.7"}, eBPF},
		{"a node reported only a connection to the control pod, which no rule routes", listening, []string{"10.244.2.10"}, eBPF},
		{"no node can listen", map[string]string{"a": "nf_conntrack_events is 0", "b": "nf_conntrack_events is 0"}, nil,
			"a: nf_conntrack_events is 0"},
		{"no node listens", nil, nil, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			s := observe.NodeReports{Listened: row.listened, Routed: map[string]bool{}}
			for _, client := range row.routed {
				s.Routed[client] = true
			}
			if got := whyNoFlows(lanes, s); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
