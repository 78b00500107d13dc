package during

import (
	"cmp"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/runner"
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
	Request    Request
	Settle     string   // how long the load goes on once the cluster is whole; empty: a minute
	For        string   // how long the maintenance goes on after the end of the command; empty: it ends with the command
	Until      string   // shell command, repeated after the end of the command, that succeeds when the maintenance is over
	Deadline   string   // how long the maintenance may take; empty: 12 h
	Load       []string // images of this host's Docker to load onto the nodes of a kind cluster
	runner.Options
}

// Defaults. The help texts of [Options.List] repeat them.
const (
	defaultRate     = 25 // an hour of 3 nodes is 800,000 requests
	defaultSettle   = time.Minute
	hostSettle      = 10 * time.Second // where no cluster has to come to rest
	leastSettle     = 3 * time.Second  // a request may take 2 s
	defaultDeadline = 12 * time.Hour
	defaultMode     = "iptables"
	p99Is           = "p99=" // before the value of --max-latency
)

// List returns the flags of the options, without those of OfCommand.
func (o *Options) List() usage.List {
	own := usage.List{
		{Flag: "max-outage", Text: &o.MaxOutage, Help: "longest `time` that a client may go without a good reply, such as 5s"},
		{Flag: "max-failed", Text: &o.MaxFailed, Help: "largest `share` of a client's requests since the first step that may fail, such as 0.1%"},
		{Flag: "max-latency", Text: &o.MaxLatency,
			Help: "longest time that 99 % of a client's good replies since the first step may take: `p99=300ms`"},
		{Flag: "service", Text: &o.Service,
			Help: "send requests from pods to this `Service` of yours, not to Rollcall's app: namespace/name[:port][/path]"},
		{Flag: "url", Text: &o.URL,
			Help: "send requests from outside to this `URL` of yours, not to Rollcall's app; alone: without a cluster"},
	}
	own = append(own, slices.Concat(o.Request.list(), o.Request.urlList(), o.Request.secureList())...)
	own = append(own, usage.List{
		{Flag: "settle", Text: &o.Settle, Help: "`time` that the load goes on once the cluster is whole (default 1m; 10s without one)"},
		{Flag: "deadline", Text: &o.Deadline, Help: "`time` after which the recording ends by itself (default 12h)"},
		{Flag: "rate", Default: usage.Environment, Text: &o.Rate,
			Help: "requests per second of each lane, a `number` from 6 to 1000 (default 25)"},
		{Flag: "modes", Default: usage.Environment, Text: &o.Modes, Values: dataplane.Names(),
			Help: "kube-proxy `mode` of a kind cluster (default iptables)"},
	}...)
	return append(append(own, o.Options.List().Only("k8s", "keep")...), o.reach()...)
}

// OfCommand returns the flags that say when the maintenance is over if it goes on after the end of the command.
func (o *Options) OfCommand() usage.List {
	return usage.List{
		{Flag: "for", Text: &o.For, Help: "`time` that the load goes on after your command has ended"},
		{Flag: "until", Text: &o.Until, Help: "shell `command` that tells when the load may end: run every 2 s after yours, until it succeeds"},
	}
}

// reach returns the flags about an existing cluster.
func (o *Options) reach() usage.List {
	return append(o.Reach(), o.Target.List().Only("namespace", "image-repo", "images", "registry-ca", "pull-secret", "outside-url",
		"load-nodes", "allow")...)
}

// settings holds the options after parsing and validation.
type settings struct {
	userapp.Losses
	settle, deadline time.Duration
	lasts            time.Duration        // --for
	until            string               // --until
	service          *userapp.ServiceName // nil: none
	url, connectTo   string
	http             *loadgen.UserHTTP // how service and url are requested
	proxy            string            // environment variable with a proxy for the URL; empty: there is none
	runner           *runner.Runner
}

// prepare checks the options and connects to the cluster, if one is named. It creates nothing.
func (o Options) prepare() (a settings, err error) {
	p99, named := strings.CutPrefix(o.MaxLatency, p99Is)
	if o.MaxLatency != "" && (!named || p99 == "") {
		return a, usage.New("max-latency "+o.MaxLatency, "only p99 is supported", "write it like "+p99Is+"300ms")
	}
	budget := userapp.Budget{MaxOutage: o.MaxOutage, MaxFailed: o.MaxFailed, P99: p99}
	if a.Losses, err = budget.Read("--max-outage=", "--max-failed=", "--max-latency="+p99Is); err != nil {
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
	a.until = o.Until
	if a.deadline, err = usage.Duration("--deadline=", o.Deadline, defaultDeadline, time.Second); err != nil {
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
		a.url, a.connectTo = o.URL, o.Request.ConnectTo
		a.proxy = proxyFor(o.URL)
	}
	if err := o.Request.checkMeant(a.service, a.url); err != nil {
		return a, err
	}
	var writes bool
	o.Allow, writes = cutWrites(o.Allow)
	if a.http, err = o.Request.http(writes); err != nil {
		return a, err
	}
	o.Rate, o.Jobs = cmp.Or(o.Rate, strconv.Itoa(defaultRate)), "1"
	fromHost := o.fromHost()
	if !o.Named() {
		o.Modes = cmp.Or(o.Modes, defaultMode)
	}
	a.runner = &runner.Runner{Options: o.Options, Watches: true, Load: o.Load, FromHost: fromHost}
	if err := a.runner.CheckNamed(); err != nil {
		return a, err
	}
	if err := a.tryURL(); err != nil {
		return a, err
	}
	if err := a.runner.Prepare(); err != nil {
		return a, err
	}
	if len(a.runner.ModeList()) != 1 {
		return a, usage.New("modes "+o.Modes, "maintenance is recorded once, on one cluster", "name one mode")
	}
	return a, nil
}

// fromHost reports whether requests go only from this host to a URL: no option names a cluster, or asks for a new one.
func (o Options) fromHost() bool {
	return o.URL != "" && o.Service == "" && o.Modes == "" && !o.Named()
}

// allowWrites is the value of --allow that permits requests which may change something.
const allowWrites = "writes"

// cutWrites removes "writes" from the --allow list: the checks on a cluster do not know it.
func cutWrites(allow string) (rest string, writes bool) {
	things := strings.Split(allow, ",")
	others := slices.DeleteFunc(slices.Clone(things), func(thing string) bool { return strings.TrimSpace(thing) == allowWrites })
	return strings.Join(others, ","), len(others) < len(things)
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
		return usage.New("command "+command[0], "it does not exist",
			"write one after --, such as: rollcall during -- kubectl drain NODE"+usage.Meant(command[0], "begin", "mark", "end"))
	}
	return nil
}

// line returns the command line that reproduces a recording.
func (o Options) line(verb string, command []string) string {
	words := append(append(strings.Fields("rollcall "+verb), o.List().Args()...), o.OfCommand().Args()...)
	if len(command) > 0 {
		words = append(append(words, "--"), command...)
	}
	return shellescape.QuoteCommand(words)
}
