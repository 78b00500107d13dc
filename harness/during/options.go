package during

import (
	"cmp"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster/attached"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

// Options say what clients may lose, where requests go, and on which cluster.
type Options struct {
	MaxOutage string // longest time in which a lane may get no good reply; empty: no limit
	MaxFailed string // largest share of a lane's requests that may fail, such as 0.1%; empty: no limit
	// MaxLatency is how long 99 % of a lane's good replies may take, such as p99=300ms; empty: no limit.
	MaxLatency string
	Service    string // that pods request instead of Rollcall's own app: namespace/name[:port][/path]
	URL        string // that the client outside the cluster requests instead of Rollcall's own app
	ControlURL string // beside URL alone: past the app on the same way, for a control lane
	Request    Request
	Settle     string // how long the load goes on once the cluster is whole; empty: a minute
	For        string // how long the maintenance goes on after the end of the command; empty: it ends with the command
	Until      string // shell command, repeated after the end of the command, that succeeds when the maintenance is over
	Deadline   string // how long the maintenance may take; empty: 12 h
	OwnConfig  bool   // the command gets the user's own kubeconfig, not one of the cluster
	Creates    bool   // a user's objects are created, which --allow=cluster-objects is about
	run.Options
}

// Defaults. The help texts of [Options.List] repeat them.
const (
	defaultRate   = 25 // an hour of 3 nodes is 800,000 requests
	defaultSettle = time.Minute
	hostSettle    = 10 * time.Second // where no cluster has to come to rest
	leastSettle   = 3 * time.Second  // a request may take 2 s
	defaultMode   = "iptables"
	p99Is         = "p99=" // before the value of --max-latency
)

// List returns the flags of the options, without those of OfCommand.
func (o *Options) List() usage.List {
	first := usage.List{
		{Flag: "max-outage", Text: &o.MaxOutage, Help: "longest `time` that a client may go without a good reply, such as 5s"},
		{Flag: "max-failed", Text: &o.MaxFailed,
			Help: "largest `share` of a client's requests that may fail, of those since the rollout or your command began, or since your first mark, " +
				"such as 0.1%"},
		{Flag: "service", Text: &o.Service,
			Help: "send requests from pods to this `Service` of yours, not to Rollcall's app: namespace/name[:port][/path]; " +
				"over TLS: https:namespace/name:port[/path]"},
		{Flag: "url", Text: &o.URL,
			Help: "send requests from outside to this `URL` of yours, not to Rollcall's app; alone: without a cluster"},
		{Flag: "control-url", Text: &o.ControlURL,
			Help: "with --url alone: another `URL` on the same way, which nobody rolls out: if it fails too, the way is to blame, not your app"},
	}
	losses := usage.List{{Flag: "max-latency", Text: &o.MaxLatency,
		Help: "longest time that 99 % of a client's good replies since then may take: `p99=300ms`"}}
	load := usage.List{
		{Flag: "rate", Default: usage.Environment, Text: &o.Rate,
			Help: "requests per second of each lane, a `number` from 6 to 1000 (default 25). A lane is one client: each load node has one with " +
				"a new connection for each request and one that keeps connections, so that 2 nodes send 100 per second to the app; of streams, from 1 " +
				"to 1000 (default 2)"},
		{Flag: "deadline", Text: &o.Deadline, Help: "`time` after which the recording ends by itself (default 12h)"},
		{Flag: "settle", Text: &o.Settle, Help: "`time` that the load goes on once the cluster is whole (default 1m; 10s without a cluster)"},
	}
	kind := append(usage.List{{Flag: "modes", Default: usage.Environment, Text: &o.Modes, Values: dataplane.Names(),
		Help: "kube-proxy `mode` of the cluster, one of " + strings.Join(dataplane.Names(), ", ") + " (default " + defaultMode + ")"}},
		o.Options.List().Only("k8s", "keep")...)
	requests := slices.Concat(o.Request.list(), o.Request.protocolList(), o.Request.urlList())
	return slices.Concat(first, losses.Under(usage.Losses), requests.Under(usage.Requests),
		o.Request.secureList().Under(usage.RequestTLS), load.Under(usage.Load), kind.Under(usage.Kind), o.reach())
}

// OfCommand returns the flags that say when the maintenance is over if it goes on after the end of the command.
func (o *Options) OfCommand() usage.List {
	return usage.List{
		{Flag: "for", Text: &o.For, Help: "`time` that the load goes on after your command has ended"},
		{Flag: "until", Text: &o.Until, Help: "shell `command` that tells when the load may end: run every 2 s after yours, until it succeeds"},
	}.Under(usage.Load)
}

// reach returns the flags about an existing cluster.
func (o *Options) reach() usage.List {
	there := o.Target.List().Only("namespace", "image-repo", "images", "registry-ca", "pull-secret", "outside-url", "load-nodes", "wait")
	return append(append(o.Reach(), there...), usage.Option{
		Flag: "own-kubeconfig", Topic: usage.OnCluster, Switch: &o.OwnConfig,
		Help: "leave KUBECONFIG to your command as it is (default: a kubeconfig whose only context is the cluster's)",
	}, usage.Option{
		Flag: "allow", Topic: usage.OnCluster, Default: usage.Make, Text: &o.Allow, Values: allowed(),
		Help: "`things` to permit, separated by commas: writes, on any cluster, for a --method that may change something; " +
			"node-rules, to observe nodes' rules; flows, beside it, to record to which pod each connection is routed"})
}

// settings holds the options after parsing and validation.
type settings struct {
	userapp.Losses
	settle, deadline time.Duration
	lasts            time.Duration        // --for
	timeout          time.Duration        // --timeout; 0: what the app's first replies took says it
	until            string               // --until
	ownConfig        bool                 // --own-kubeconfig
	service          *userapp.ServiceName // nil: none
	url, connectTo   string
	control          string            // --control-url
	http             *loadgen.UserHTTP // how service and url are requested
	asking
	given Options // from which the asking is read again once the Service's port says more
	proxy string  // environment variable with a proxy for the URL; empty: there is none
	plan  run.Plan
}

// A Prepared is options that were checked, and the cluster that they name.
type Prepared struct{ settings }

// Prepare checks the options and connects to the cluster, if one is named. It creates nothing. The error is a [usage.Error].
func (o Options) Prepare() (Prepared, error) {
	a, err := o.prepare()
	return Prepared{a}, err
}

// Request returns how requests are sent: the method, and the number of bytes in the body.
func (p Prepared) Request() (method string, body int) { return p.http.Method, len(p.http.Body) }

// There returns the existing cluster that the options name; nil: one is made.
func (p Prepared) There() *attached.Cluster { return p.plan.Target }

// Permits reports whether --allow has a value.
func (o Options) Permits(thing string) bool {
	return slices.Contains(strings.Split(strings.ReplaceAll(o.Allow, " ", ""), ","), thing)
}

func (o Options) prepare() (a settings, err error) {
	p99, named := strings.CutPrefix(o.MaxLatency, p99Is)
	if o.MaxLatency != "" && (!named || p99 == "") {
		return a, usage.New("--max-latency="+o.MaxLatency, "only p99 is supported", "write it like "+p99Is+"300ms")
	}
	budget := userapp.Budget{MaxOutage: o.MaxOutage, MaxFailed: o.MaxFailed, P99: p99}
	if a.Losses, err = budget.Read(); err != nil {
		return a, err
	}
	settle := defaultSettle
	if o.fromHost() {
		settle = hostSettle
	}
	if a.settle, err = usage.Duration("--settle=", o.Settle, settle, leastSettle); err != nil {
		return a, err
	}
	if a.lasts, err = usage.Duration("--for=", o.For, 0, time.Second); err != nil {
		return a, err
	}
	a.until, a.ownConfig = o.Until, o.OwnConfig
	if a.deadline, err = usage.Duration("--deadline=", o.Deadline, defaultDeadline, time.Second); err != nil {
		return a, err
	}
	if a.deadline > longestDeadline {
		return a, usage.New("--deadline="+o.Deadline, fmt.Sprintf("it is longer than %.0fh", longestDeadline.Hours()), "record in several parts")
	}
	if a.lasts >= a.deadline {
		return a, usage.New("--for="+o.For, fmt.Sprintf("the recording ends at its deadline before that, after %v", a.deadline),
			"give a later one: --deadline=TIME")
	}
	if err := checkUntil(o.Until); err != nil {
		return a, err
	}
	if o.Service != "" {
		service, err := parseService(o.Service)
		if err != nil {
			return a, err
		}
		a.service = &service
	}
	if o.URL != "" {
		if err := o.Request.checkURL(o.URL); err != nil {
			return a, err
		}
		o.URL = lowerScheme(o.URL)
		a.url, a.connectTo = o.URL, o.Request.ConnectTo
		a.proxy = proxyFor(o.URL)
	}
	if a.control, err = o.readControl(); err != nil {
		return a, err
	}
	a.given = o
	if err := a.readAsking(&o); err != nil {
		return a, err
	}
	if err := o.Request.checkMeant(a.service, a.url); err != nil {
		return a, err
	}
	writes := o.Permits(allowWrites)
	if o.Allow, err = o.readAllow(); err != nil {
		return a, err
	}
	if a.http, err = o.Request.http(writes); err != nil {
		return a, err
	}
	o.Rate, o.Jobs = cmp.Or(o.Rate, strconv.Itoa(defaultRate)), "1"
	o.Watches, o.FromHost = true, o.fromHost()
	if !o.Named() {
		o.Modes = cmp.Or(o.Modes, defaultMode)
	}
	if err := o.CheckNamed(); err != nil {
		return a, err
	}
	if a.plan, err = run.NewPlan(o.Options); err != nil {
		return a, err
	}
	if len(a.plan.Modes) != 1 {
		return a, usage.New("--modes="+o.Modes, "it is recorded once, on one cluster", "name one mode")
	}
	if err := a.chooseImages(); err != nil {
		return a, err
	}
	return a, a.tryURLs()
}

// fromHost reports whether requests go only from this host to a URL: no option names a cluster, or asks for a new one.
func (o Options) fromHost() bool {
	return o.URL != "" && o.Service == "" && o.Modes == "" && !o.Named()
}

// Values of --allow that the checks on a cluster do not know.
const (
	allowWrites = "writes" // requests which may change something
	// ClusterObjects permits rollcall try to create objects that others on an existing cluster may feel.
	ClusterObjects = "cluster-objects"
)

// allowed lists the values of --allow.
func allowed() []string { return []string{allowWrites, harness.NodeRules, evidence.FlowEvents} }

// readAllow checks --allow, and returns it without what the checks on a cluster do not know.
func (o Options) readAllow() (rest string, err error) {
	known := allowed()
	if o.Creates {
		known = append(known, ClusterObjects)
	}
	var others []string
	for thing := range strings.SplitSeq(o.Allow, ",") {
		switch thing = strings.TrimSpace(thing); {
		case thing != "" && !slices.Contains(known, thing):
			return "", usage.New("--allow="+thing, "unknown value", "use "+strings.Join(known, ", ")+usage.Meant(thing, known...))
		case thing == ClusterObjects && !o.Named():
			return "", usage.New("--allow="+thing, "it applies only to an existing cluster, and none is named", "name it: --context=NAME")
		case thing != allowWrites && thing != ClusterObjects:
			others = append(others, thing)
		}
	}
	return strings.Join(others, ","), nil
}

// PrintRights prints roles that grant what a recording needs on an existing cluster. The maintenance itself needs rights of its own.
func (o Options) PrintRights(w io.Writer) error {
	rights, namespaces := staging.RightsToWatch(len(o.Preassigned()) == 0, false), o.Preassigned()
	if o.Service == "" {
		return staging.PrintRoles(w, rights, namespaces)
	}
	service, err := parseService(o.Service)
	if err != nil {
		return err
	}
	return staging.PrintRoles(w, rights, namespaces, service.Namespace)
}

// checkCommand returns an error for a command that does not exist.
func checkCommand(command []string) error {
	if _, err := exec.LookPath(command[0]); err != nil {
		return usage.New("command "+secret.Args(command)[0], "it does not exist",
			"write one after --, such as: rollcall during -- kubectl drain NODE"+usage.Meant(command[0], "begin", "mark", "end"))
	}
	return nil
}

// line returns the command line that reproduces a recording, without secrets.
func (o Options) line(verb string, command []string) string {
	o.Until = secret.Script(o.Until)
	words := append(append(strings.Fields("rollcall "+verb), o.List().Args()...), o.OfCommand().Args()...)
	if len(command) > 0 {
		words = append(append(words, "--"), secret.Args(command)...)
	}
	return shellescape.QuoteCommand(words)
}
