package staging

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster/attached"
	"example.com/rollcall/harness/usage"
)

const kubeconfig = `apiVersion: v1
kind: Config
clusters:
- {name: nowhere, cluster: {server: "https://127.0.0.1:1"}}
users:
- {name: me, user: {token: old}}
contexts:
- {name: staging, context: {cluster: nowhere, user: me}}
- {name: kind-mine, context: {cluster: nowhere, user: me}}
current-context: staging
`

// Everything that can be wrong with a target is an error of one line with the remedy.
func TestTargetConnect(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence string
		target   Target
		says     string
	}{
		{"a current context that nobody named", Target{},
			`context "staging": it is only the current context, and not a kind cluster's: name it: --context=staging`},
		{"a context that is not there", Target{Context: "prod"},
			"--context=prod: the kubeconfig has no such context: use one of kind-mine, staging"},
		{"a mistyped context", Target{Context: "stagign"},
			"--context=stagign: the kubeconfig has no such context: use one of kind-mine, staging; did you mean staging?"},
		{"a mistyped privilege", Target{Context: "staging", Allow: "noderules"},
			"--allow=noderules: unknown value: use node-rules, flows, or disruption:NODE; did you mean node-rules?"},
		{"a server that is not there", Target{Context: "staging"}, "context staging, https://127.0.0.1:1: it cannot be reached"},
		{"a file that is not there", Target{Context: "staging", Kubeconfig: "/nowhere/config"}, "--kubeconfig="},
		{"in-cluster, but not in a pod", Target{Context: "in-cluster"}, "--context=in-cluster: "},
		{"images to push and images that are there", Target{Context: "staging", ImageRepo: "a", Images: "b"}, "--image-repo, --images: "},
		{"credentials for nothing", Target{Context: "staging", PullSecret: "a"}, "--pull-secret=a: there is nothing to pull"},
		{"images that are not all there", Target{Context: "staging", Images: "echo:v1=a,agent:dev=b"},
			"--images: echo:v2 is missing: add echo:v2=REF"},
		{"an image that is none of ours", Target{Context: "staging", Images: "nginx:1=a"},
			"--images=nginx:1=a: it is not one of Rollcall's images"},
		{"a privilege that is none", Target{Context: "staging", Allow: "everything"},
			"--allow=everything: unknown value: use node-rules, flows, or disruption:NODE"},
		{"flows without the rules", Target{Context: "staging", Allow: "flows"},
			"--allow=flows: the observers of nodes' rules record connections: add node-rules"},
		{"a drain of one node, named twice", Target{Context: "staging", Allow: "disruption:a,disruption:a"},
			"--allow=disruption:a: it is named twice: name another node: disruption:NODE"},
		{"a drain of no node", Target{Context: "staging", Allow: "disruption:"}, "--allow=disruption:: unknown value: "},
		{"a repository that is none", Target{Context: "staging", ImageRepo: "shop web"}, "--image-repo=shop web: "},
		{"a certificate authority that is not there", Target{Context: "staging", ImageRepo: "r.example.com/r", RegistryCA: "none.pem"},
			"--registry-ca=none.pem: it cannot be read: "},
		{"a certificate authority that is none", Target{Context: "staging", ImageRepo: "r.example.com/r", RegistryCA: file},
			"--registry-ca=" + file + ": it has no certificate in PEM: give a PEM file"},
		{"credentials that are not there", Target{Context: "staging", ImageRepo: "r.example.com/r", PullSecret: "none.json"},
			"--pull-secret=none.json: none.json cannot be read: "},
		{"load from no node", Target{Context: "staging", LoadNodes: "0"}, "--load-nodes=0: it is not a number of nodes"},
		{"not a URL", Target{Context: "staging", OutsideURL: "shop"}, "--outside-url=shop: it is not an http or https URL"},
		{"an outside URL with a password", Target{Context: "staging", OutsideURL: "http://jane:s3cret@shop"},
			"--outside-url: the user or password in it "},
		{"an outside URL with a token", Target{Context: "staging", OutsideURL: "http://shop/?token=s3cret"},
			"--outside-url=http://shop/?token=(withheld): the value of the parameter would stand in the report"},
		{"an outside URL without a namespace", Target{Context: "staging", OutsideURL: "http://shop"},
			"--outside-url=http://shop: it leads to a Service of one namespace"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if row.target.Kubeconfig == "" {
				row.target.Kubeconfig = file
			}
			_, err := row.target.Connect(context.Background(), "")
			if err == nil || !usage.Is(err) || !strings.HasPrefix(err.Error(), row.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
}

// Options for a cluster without the name of one are an error.
func TestTargetCheckNamed(t *testing.T) {
	for _, row := range []struct {
		sentence string
		target   Target
		says     string
	}{
		{"clusters are to be made", Target{DryRun: true}, ""},
		{"a cluster is named", Target{Context: "staging", Namespaces: "mine"}, ""},
		{"a kubeconfig is named, for its current context", Target{Kubeconfig: "k", ImageRepo: "r"}, ""},
		{"a namespace without a cluster", Target{Namespaces: "mine"},
			"--namespace=mine: it applies only to an existing cluster, and none is named: name it: --context=NAME"},
		{"images without a cluster", Target{ImageRepo: "r"}, "--image-repo=r: "},
		{"a privilege without a cluster", Target{Allow: harness.NodeRules}, "--allow=node-rules: "},
		{"a server is named", Target{Access: attached.Access{Server: "https://10.0.0.7:6443", Impersonate: "jane"}, Namespaces: "mine"}, ""},
		{"a user without a cluster", Target{Access: attached.Access{Impersonate: "jane"}}, "--as=jane: it applies only to an existing cluster"},
		{"a group without a cluster", Target{Access: attached.Access{ImpersonateGroups: []string{"ops"}}}, "--as-group=ops: "},
		{"any certificate without a cluster", Target{Access: attached.Access{InsecureSkipTLSVerify: true}}, "--insecure-skip-tls-verify: "},
		{"a token without a cluster, not printed", Target{Access: attached.Access{Token: "open-sesame"}},
			"--token: it applies only to an existing cluster"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			err := row.target.CheckNamed()
			if (row.says == "") != (err == nil) || err != nil && (!usage.Is(err) || !strings.HasPrefix(err.Error(), row.says)) {
				t.Errorf("%v; want %q", err, row.says)
			}
		})
	}
}

func TestTargetArgs(t *testing.T) {
	want := Target{Context: "staging", Kubeconfig: "k", Namespaces: "a,b", ImageRepo: "r", RegistryCA: "ca", PullSecret: "p",
		OutsideURL: "none", LoadNodes: "2", Allow: harness.NodeRules, DryRun: true, Access: attached.Access{Cluster: "c", User: "u",
			Server: "s", CertificateAuthority: "ca", TLSServerName: "n", InsecureSkipTLSVerify: true, Impersonate: "jane", ImpersonateUID: "7",
			ImpersonateGroups: []string{"dev", "ops"}, RequestTimeout: "30s"}}
	var got Target
	flags := flag.NewFlagSet("child", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	got.List().Register(flags)
	if err := flags.Parse(want.List().Args()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
