package cases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A userCase is something that went wrong for a user, with an app of ours instead of theirs. With a script it is what rollcall during
// records, and without one what rollcall try does.
type userCase struct {
	name, file string // of the test, and of the manifest
	sentence   string
	edits      []string // pairs: a text of the manifest, and what replaces it
	next       []string // the same for the next version, next.yaml; of try, none: a restart, or what to says
	service    string   // as the flag, where {} is the case's namespace; of during, empty: {}/web
	flags      []string // more of them; of try, {} is the folder of the case
	cluster    *onCluster

	server       *moduleServer // whose image the manifest names; nil: none
	to, workload string        // of try, as flags
	merged       bool          // next is a pull request: try --base compares it with what runs now

	script string                       // the command of during, for a shell in the folder of the case
	settle string                       // the flag of during; empty: 10s
	before func(t *testing.T, f folder) // prepares the folder and, of during, the cluster, before the app is applied; nil: nothing
	first  string                       // the same, once the app is there and its Deployments are available
	pipe   string                       // shell in which rollcall runs, as "$@"; empty: none
	mode   string                       // the only one; empty: any
}

// onCluster has what a case has to show that needs a cluster.
type onCluster struct {
	exit        string   // codes, any of which will do
	causes      string   // of lost requests, those of most requests first, each stage/state/step/owner; a|b is either, * any
	advice, may string   // codes of advice that has to be given, and that may be
	says, never string   // texts of the output
	files       []string // pairs: a file of the run folder, and a text in it
}

// Codes of advice, by the mistake that it mends.
const (
	measured         = "RC3007" // none: it only says what was measured
	othersBehind     = "RC3021" // the Service selects pods of other workloads
	serviceChanged   = "RC3026" // the Service, or an EndpointSlice by hand, leads to nobody
	unreadyPublished = "RC3025" // it has publishNotReadyAddresses
	otherAuthority   = "RC3029" // clients do not know the authority of the certificate
	recycled         = "RC3028" // workers drop their queues when they are recycled
	killed           = "RC3018" // the app waits for longer than the grace period
	streamsCut       = "RC3041" // pods end before their streams do
	neverTold        = "RC3042" // the server tells no client to go before it ends
	drainedAlone     = "RC3020" // the only pod ends before the next is ready
	readyTooSoon     = "RC3023" // pods are ready before they are able
	dnsRestarted     = "RC3030" // CoreDNS does not answer on while it ends
	localNodePort    = "RC3031" // a NodePort is asked on 127.0.0.1
	coldStart        = "RC3034" // new pods are slow at first
	aborted          = "RC3037" // a release was taken back
	graceTooShort    = "RC3008" // the grace period is over when the hook is
	noneOnNode       = "RC3022" // the policy Local, and no pod on the node
	servedAlone      = "RC3033" // terminating pods alone answered for a while
)

// Parts of web.yaml.
const (
	hook            = "{preStop: {sleep: {seconds: 5}}}"
	starts          = "{name: ROLLCALL_START_DELAY, value: 0s}"
	containersOfWeb = "      containers:\n      - name: web\n"
	selector        = "spec: {selector: {app: web}, "
	template        = "metadata: {labels: {app: web}}"
	ports           = "ports: [{name: http, port: 80, targetPort: http}]}"
)

// undrained is for an app that exits at once.
var undrained = []string{"        lifecycle: " + hook + "\n", "", "value: drain", "value: exit", "value: 2s", "value: 0s"}

// sleeps is for a preStop sleep of other length, in seconds.
func sleeps(seconds string) []string {
	return []string{"sleep: {seconds: 5}", "sleep: {seconds: " + seconds + "}"}
}

// startsIn is for an app that listens later.
func startsIn(time string) []string { return []string{starts, strings.Replace(starts, "0s", time, 1)} }

// manifests writes those of a case into a folder, in a namespace of its own. It returns an empty next if there is no next version.
func (c userCase) manifests(t *testing.T, folder string) (file, next string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", c.file+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, edits []string) string {
		said := strings.ReplaceAll(string(text), "namespace: "+c.file+"}", "namespace: "+c.name+"}")
		for i := 0; i < len(edits); i += 2 {
			if !strings.Contains(said, edits[i]) {
				t.Fatalf("%s: the manifest has no %q", c.name, edits[i])
			}
			said = strings.ReplaceAll(said, edits[i], edits[i+1])
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(said), 0o644); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(folder, name)
	}
	file = write("app.yaml", c.edits)
	if c.next != nil {
		next = write("next.yaml", c.next)
	}
	return file, next
}
