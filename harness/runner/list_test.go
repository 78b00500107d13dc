package runner

import (
	"context"
	"strings"
	"testing"

	"example.com/rollcall/harness"
)

// Every host supports iptables, and no host a mode that does not exist.
func TestList(t *testing.T) {
	var out strings.Builder
	r := Runner{modes: []string{"iptables", "userspace"}}
	r.list(t, &out, "control", []harness.Scenario{{ID: "loaded"},
		{ID: "own", Own: &harness.OwnCluster{Kubernetes: "v1.35"}},
		{ID: "unloaded", Steps: func(context.Context, *harness.Steps) {}}})
	const want = `control/loaded    iptables   load                   runs
control/own       iptables   load, cluster-changes  runs
control/unloaded  iptables   no load                runs
control/loaded    userspace  load                   skipped: not a kube-proxy mode
control/own       userspace  load, cluster-changes  skipped: not a kube-proxy mode
control/unloaded  userspace  no load                skipped: not a kube-proxy mode
`
	if out.String() != want {
		t.Errorf("%s; want\n%s", out.String(), want)
	}
}
