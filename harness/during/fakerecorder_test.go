package during

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/loadgen"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/page"
)

// fakeVariable is the environment variable that makes a test process a recorder of a fake cluster; its value is one of those below.
const fakeVariable = "FAKE_RECORDER"

// How a fake recording goes.
const (
	works   = "works"   // something changes, and no request fails
	idle    = "idle"    // nothing changes
	asks    = "asks"    // the requests are sent, by an agent whose spool is in the run folder
	loses   = "loses"   // a request fails
	cut     = "cut"     // a request fails, and one of the control lane
	strays  = "strays"  // a request of the control lane fails, and no other
	refused = "refused" // the options are bad input
	breaks  = "breaks"  // before it records anything
	hangs   = "hangs"   // before its load is steady
	late    = "late"    // nobody ends it before its deadline; it goes on until its standard input ends
	broken  = "broken"  // from the second request on, to the end
	unnamed = "unnamed" // this host does not resolve a name for a while
)

func TestMain(m *testing.M) {
	how := os.Getenv(fakeVariable)
	switch how {
	case "":
		os.Exit(m.Run())
	case requestsVersion:
		if err := fakeKubectl(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	folder := os.Getenv(folderVariable)
	code, err := fakeRecorder(folder, how).detached(context.Background(), signals)
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		if code = 3; usage.Is(err) {
			code = badInput
		}
	}
	os.Exit(code)
}

func fakeRecorder(folder, how string) recorder {
	f := &fakeRecording{folder: folder, how: how}
	a := settings{settle: time.Millisecond, deadline: time.Minute}
	if how == late {
		a.deadline = time.Millisecond
	}
	return recorder{settings: a, root: filepath.Dir(folder), folder: folder, line: "rollcall during begin", record: f.record,
		reports: reported}
}

// reported writes and prints the report of a run folder, and points root/latest at it.
func reported(folder string) run.Reporter {
	index := page.New(folder)
	return reporter{reports.Collect(folder, index), folder, index}
}

type reporter struct {
	*reports.Collector
	folder string
	page   *page.Page
}

func (r reporter) Report(out io.Writer, root string) (code int, err error) {
	of, err := r.Collector.Report()
	if err != nil {
		return model.ExitCode(of), err
	}
	return model.ExitCode(of), errors.Join(reports.WriteFolder(r.folder, of, r.page.File()), run.Link(root, "latest", r.folder),
		reports.Terminal(out, of), second(fmt.Fprintf(out, "\nrun folder: %s\n", r.folder)))
}

// A fakeRecording runs its scenario's disruption on a fake cluster, with a few hits of clients.
type fakeRecording struct {
	folder, how string
	mode        string                  // of the cluster; empty: iptables
	fromHost    bool                    // without a cluster
	on          cluster.Cluster         // nil: a fake one
	replies     []evidence.Hit          // that came, if requests are sent
	app         func(*evidence.UserApp) // adds what is known of the app that they are sent to; nil: nothing
	seen        func(context.Context) *observe.Objects
}

func (f *fakeRecording) inMode() string { return cmp.Or(f.mode, "iptables") }

type fakeCluster struct {
	cluster.Changeable
	client kubernetes.Interface
}

func (c fakeCluster) Client() kubernetes.Interface { return c.client }
func (fakeCluster) Attached() bool                 { return false }
func (fakeCluster) Nodes() []string                { return []string{"a", "b"} }
func (fakeCluster) Kubeconfig() string             { return "/state/kubeconfig" }

func readyNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
}

func (f *fakeRecording) record(ctx context.Context, out io.Writer, into run.Into, of ...run.ScenarioFunc) error {
	suite := into.Suite
	switch f.how {
	case refused:
		return usage.New("node-image", "there is none", "build it")
	case hangs:
		fmt.Fprintln(out, "making the cluster")
		<-ctx.Done()
		return context.Cause(ctx)
	}
	session := store.NewSession("r", time.Now())
	session.Command = into.Command
	if _, err := os.Stat(evidence.SessionPath(f.folder)); err != nil { // else it continues that of an earlier part
		if err := store.WriteJSON(evidence.SessionPath(f.folder), session); err != nil {
			return err
		}
	}
	if f.how == breaks {
		return errors.New("docker: no space left")
	}
	if f.fromHost {
		return f.recordFromHost(ctx, suite, of[0])
	}
	if err := store.WriteJSON(evidence.ClusterPath(f.folder, f.inMode()), evidence.Cluster{Mode: f.inMode()}); err != nil {
		return err
	}
	on := f.on
	if on == nil {
		on = fakeCluster{client: fake.NewClientset(readyNode("a"))}
	}
	f.seen = func(ctx context.Context) *observe.Objects { return observe.Follow(ctx, on.Client(), "n") }
	for _, scenarioOn := range of {
		s, err := scenarioOn(ctx, on)
		if errors.Is(err, run.ErrNothing) {
			continue
		}
		if err == nil {
			err = f.toItsEnd(ctx, suite, s)
		}
		if err != nil {
			return err
		}
		if err := f.judge(into.Reading, s); err != nil {
			return err
		}
	}
	return nil
}

// judge judges a recording, as a run does.
func (f *fakeRecording) judge(reading run.Reading, s harness.Scenario) error {
	var judged func(kept.Recording)
	folder := evidence.ScenarioFolder(f.folder, f.inMode(), suite, s.ID, 1)
	rec, err := kept.Judge(folder, func(of evidence.Run) (show func(evidence.Hit, error)) {
		show, judged = reading(of)
		return show
	})
	if err != nil {
		return err
	}
	judged(rec)
	return rec.Keep()
}

func (f *fakeRecording) recordFromHost(ctx context.Context, suite string, scenarioOn run.ScenarioFunc) error {
	if err := store.WriteJSON(evidence.ClusterPath(f.folder, evidence.NoCluster), evidence.Cluster{Mode: evidence.NoCluster}); err != nil {
		return err
	}
	s, err := scenarioOn(ctx, nil)
	if err != nil {
		return err
	}
	return f.toItsEnd(ctx, suite, s)
}

func (f *fakeRecording) toItsEnd(ctx context.Context, suite string, s harness.Scenario) error {
	if err := f.underLoad(ctx, suite, s); err != nil {
		return err
	}
	return store.EditSession(f.folder, func(s *evidence.Session) { s.Ended = time.Now() })
}

// ask runs an agent that sends the scenario's requests from outside, until there are a few replies.
func (f *fakeRecording) ask(ctx context.Context, s harness.Scenario, began time.Time, recorder *store.Recorder) ([]evidence.Lane, error) {
	agent, err := loadgen.NewAgent(loadgen.AgentConfig{Token: "token", Spool: filepath.Join(f.folder, "spool")})
	if err != nil {
		return nil, err
	}
	defer agent.Stop()
	api := httptest.NewServer(agent)
	defer api.Close()
	remote := loadgen.Remote{URL: api.URL, Token: "token"}
	to, app := s.UnderLoad().Existing, s.UnderLoad().UserApp
	lanes := []evidence.Lane{{ID: "outside-fresh", Vantage: evidence.FromHost, Conn: evidence.Fresh, Target: to.URL,
		Address: to.Address, Rate: 50}}
	if err := errors.Join(remote.Reach(ctx, lanes[0], app.HTTP()),
		remote.Start(ctx, lanes, loadgen.Config{Began: began, Service: "elsewhere", Timeout: patient, UserHTTP: app.HTTP()})); err != nil {
		return nil, err
	}
	for next := int64(0); len(f.replies) < 20; {
		ranges, err := remote.HitsOfLanes(ctx, []string{lanes[0].ID}, []int64{next})
		if err != nil {
			return nil, err
		}
		next, f.replies = ranges[0].Next, append(f.replies, ranges[0].Hits...)
	}
	status, err := remote.Status(ctx)
	for _, e := range status.Noted {
		recorder.Event(e)
	}
	return lanes, err
}

// underLoad records as if one request had been sent every 20 ms, and the load had gone on for two more.
func (f *fakeRecording) underLoad(ctx context.Context, suite string, s harness.Scenario) error {
	const every = 20 * time.Millisecond
	load := s.UnderLoad()
	run := evidence.Run{Scenario: s.ID, Suite: suite, Mode: f.inMode(), Claim: s.Claim, Attempt: 1, Tries: 1,
		OldVersion: "v1", NewVersion: "v1", Limits: s.Limits,
		Expect: s.Expect, Disruption: load.Disruption.Recorded(func(name string) string { return name }),
		Lanes: []evidence.Lane{{ID: "a-fresh", Vantage: evidence.FromPod, Node: "a", Conn: evidence.Fresh, Rate: 50}}}
	if f.fromHost {
		run.Mode, run.UserApp, run.Lanes = evidence.NoCluster, load.UserApp.Facts(), []evidence.Lane{
			{ID: "outside-fresh", Vantage: evidence.FromHost, Conn: evidence.Fresh, Target: load.Existing.URL, Rate: 50},
			{ID: "outside-reused", Vantage: evidence.FromHost, Conn: evidence.Reused, Target: load.Existing.URL, Rate: 50}}
		if load.Existing.Control != "" {
			run.Lanes = append(run.Lanes,
				evidence.Lane{ID: "outside-control", Vantage: evidence.FromControl, Conn: evidence.Fresh, Target: load.Existing.Control, Rate: 50})
		}
	}
	recorder, err := store.Record(evidence.ScenarioFolder(f.folder, run.Mode, suite, s.ID, 1), run)
	if err != nil {
		return err
	}
	defer recorder.Abort()
	began := time.Now()
	note := func(e evidence.Event) {
		e.At = time.Since(began)
		recorder.Event(e)
	}
	for _, kind := range []evidence.EventKind{evidence.LoadBegun, evidence.RolloutBegun, evidence.DisruptionBegun} {
		recorder.Event(evidence.Event{Kind: kind}) // before the first request, however busy this machine is
	}
	stage := disruption.Stage{Namespace: "n", App: s.App, Note: note, Expired: accepted}
	if f.seen != nil {
		watching, stop := context.WithCancel(ctx)
		defer stop()
		stage.Seen = f.seen(watching)
	}
	if err := load.Disruption.Do(ctx, stage); err != nil {
		return err
	}
	switch by := (evidence.Server{Version: "v1", Pod: "q", Node: "a"}); {
	case f.how == idle:
	case f.fromHost:
		note(evidence.Event{Kind: evidence.NameChanged, Object: "shop.example.com", Detail: "shop.example.com has address 192.0.2.2"})
	default:
		note(evidence.Event{Kind: evidence.PodDeleting, By: by})
	}
	if f.how == late {
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return err
		}
	}
	note(evidence.Event{Kind: evidence.DisruptionUndone})
	if err := load.Disruption.AwaitWhole(ctx, stage); err != nil {
		return err
	}
	note(evidence.Event{Kind: evidence.ClusterWhole})
	note(evidence.Event{Kind: evidence.Barrier})
	if f.how == asks {
		if run.Lanes, err = f.ask(ctx, s, began, recorder); err != nil {
			return err
		}
		run.UserApp = load.UserApp.Facts()
		if f.app != nil {
			f.app(run.UserApp)
		}
	}
	ended := time.Since(began) + 2*every
	for i := range int(ended / every) {
		for _, lane := range run.Lanes {
			h, arrived := f.hit(lane, i, every)
			recorder.Hits(h)
			if arrived && !f.fromHost {
				recorder.Arrivals(evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent + 1, By: h.By})
			}
		}
	}
	recorder.Event(evidence.Event{At: ended, Kind: evidence.LoadEnded})
	return recorder.Finish(run)
}

// hit records a lane's hit and, if it arrived, its arrival.
func (f *fakeRecording) hit(lane evidence.Lane, i int, every time.Duration) (h evidence.Hit, arrived bool) {
	due := time.Duration(i) * every
	h = evidence.Hit{Lane: lane.ID, Seq: uint64(i), Due: due, Sent: due + 1, Status: 200}
	if f.how == asks {
		reply := f.replies[i%len(f.replies)]
		h.Status, h.Fault = reply.Status, reply.Fault
		return h, true
	}
	if !f.fromHost {
		h.By = evidence.Server{Version: "v1", Pod: "p", Node: "a"}
	}
	lost := map[bool][]string{false: {loses, cut}, true: {cut, strays}}[lane.Kind().IsControl()] // how a request of the lane fails
	switch fresh := lane.Conn == evidence.Fresh; {
	case i == 0 || !fresh && f.how != broken:
		return h, true
	case i == 1 && slices.Contains(lost, f.how), f.how == broken:
		h.Fault = evidence.Refused
	case f.how == unnamed:
		h.Fault = evidence.Unresolved
	default:
		return h, true
	}
	h.Status, h.By = 0, evidence.Server{}
	return h, false
}
