package regressions

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
)

// Whatever shows a bug has to be expected, and the bug has to be known from some release and fixed in a later one.
func TestEveryScenarioShowsItsBug(t *testing.T) {
	affected := Affected()
	for _, s := range All() {
		if s.Bug == nil {
			t.Errorf("%s is about no bug", s.ID)
			continue
		}
		if !slices.ContainsFunc(s.Expect, func(x evidence.Expectation) bool { return x.Rule == s.Bug.Rule && x.Fact == s.Bug.Fact }) {
			t.Errorf("%s expects nothing that %s fails: rule %s %q", s.ID, s.Bug.Name(), s.Bug.Rule, s.Bug.Fact)
		}
		if len(s.Bug.Affected) == 0 || s.Bug.Fixed == "" || s.Bug.Component == "" {
			t.Errorf("%s does not say where %s is: %+v", s.ID, s.Bug.Name(), s.Bug)
		}
		if len(affected[s.ID]) == 0 {
			t.Errorf("nothing gives a cluster the bug of %s", s.ID)
		}
		delete(affected, s.ID)
	}
	for id := range affected {
		t.Errorf("%s is not a scenario", id)
	}
}

func TestTally(t *testing.T) {
	at := func(outcomes ...string) (requests []harness.Request) {
		for i, outcome := range outcomes {
			requests = append(requests, harness.Request{At: time.Unix(int64(i), 0), Outcome: outcome})
		}
		return requests
	}
	for _, row := range []struct {
		sentence string
		requests []harness.Request
		want     string
	}{
		{"every one", at("refused", "refused"), "all"},
		{"none, because none was sent", at(), "0 of 0 refused"},
		{"some", at("refused", "timeout", "timeout", "ok"), "1 of 4 refused, 1 ok, 2 timeout"},
	} {
		if got := tally(row.requests, "refused"); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
	if got := since(at("a", "b", "c"), time.Unix(1, 0)); len(got) != 2 || got[0].Outcome != "b" {
		t.Errorf("from 1 s on: %v", got)
	}
}

func TestNodesThatFollow(t *testing.T) {
	pods := func(versions ...string) (list []evidence.Server) {
		for _, v := range versions {
			list = append(list, evidence.Server{Version: v, Pod: v})
		}
		return list
	}
	for _, row := range []struct {
		sentence string
		rules    map[string][]evidence.Server
		want     string
	}{
		{"every node routes to the new pods alone", map[string][]evidence.Server{"a": pods("v2", "v2"), "b": pods("v2", "v2")}, "all"},
		{"one still routes to an old one", map[string][]evidence.Server{"a": pods("v2", "v2"), "b": pods("v1", "v2", "v2")}, "all of 2 but b"},
		{"one does not route to every new one", map[string][]evidence.Server{"a": pods("v2"), "b": nil}, "all of 2 but a, b"},
	} {
		if got := nodesRoutingTo(observe.State{Rules: row.rules}, "v2", 2); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
	if got := timesFailed(map[string]int{"b": 1, "a": 4}); got != "a (4 failed), b (1 failed)" {
		t.Errorf("two nodes failed: %q", got)
	}
	if got := timesFailed(nil); got != "none" {
		t.Errorf("no node failed: %q", got)
	}
}

func TestLongNamedServiceHasALongName(t *testing.T) {
	service := longNamed(fixtures.Destination{Namespace: "n"})
	name := "n/" + service.Name + ":" + service.Spec.Ports[0].Name
	if len(name) <= 128 || len(service.Name) != 63 || len(service.Spec.Ports[0].Name) != 63 {
		t.Errorf("%s has %d bytes, and its parts %d and %d", name, len(name), len(service.Name), len(service.Spec.Ports[0].Name))
	}
}

// A shell is a cluster of two nodes whose scripts run here, with a curl that prints a page of kube-proxy's metrics; without a page it
// fails.
type shell struct {
	cluster.Machines
	bin string // folder of curl
}

func (shell) Nodes() []string { return []string{"a", "b"} }

func (s shell) Exec(ctx context.Context, _, script string) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Env = []string{"PATH=" + s.bin + ":" + os.Getenv("PATH")}
	out, err := cmd.Output()
	return string(out), err
}

func TestFailedWrites(t *testing.T) {
	const metric = "kubeproxy_sync_proxy_rules_"
	for _, row := range []struct {
		sentence string
		page     string
		want     map[string]int // nil: an error
	}{
		{"both modes and families add up", metric + `nftables_sync_failures_total{ip_family="IPv4"} 3` + "\n" +
			metric + `nftables_sync_failures_total{ip_family="IPv6"} 1` + "\n" + metric + "iptables_restore_failures_total 2\n",
			map[string]int{"a": 6, "b": 6}},
		{"failures to delete old rules are others", metric + "nftables_cleanup_failures_total 3\n", map[string]int{}},
		{"the help of a metric is none", "# HELP " + metric + "nftables_sync_failures_total [ALPHA] 7\n", map[string]int{}},
		{"a kube-proxy that does not answer", "", nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			s := shell{bin: t.TempDir()}
			curl := "#!/bin/sh\n[ -s \"${0%/*}/page\" ] && cat \"${0%/*}/page\"\n"
			err := errors.Join(os.WriteFile(filepath.Join(s.bin, "curl"), []byte(curl), 0o755),
				os.WriteFile(filepath.Join(s.bin, "page"), []byte(row.page), 0o644))
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if failed := recover() != nil; failed != (row.want == nil) {
					t.Errorf("it failed: %t", failed)
				}
			}()
			if diff := cmp.Diff(row.want, failedWrites(t.Context(), s)); diff != "" {
				t.Error(diff)
			}
		})
	}
	more := failedSince(map[string]int{"a": 4, "b": 1}, map[string]int{"a": 4, "b": 3, "c": 1})
	if diff := cmp.Diff(map[string]int{"b": 2, "c": 1}, more); diff != "" {
		t.Error(diff)
	}
}
