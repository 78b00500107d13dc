package run

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/testenv"
	"example.com/rollcall/harness/verdict"
)

// TestDistrust damages the harness in the middle of a rollout that loses no request, on a real cluster: if records were lost it
// must neither pass nor fail, and say what was wrong. `make distrust` runs it.
func TestDistrust(t *testing.T) {
	testenv.Need(t, testenv.Distrust)
	onClusters(t, "distrust", func(ctx context.Context, t *testing.T, m *ModeRun) {
		c := m.cluster
		for _, row := range []struct {
			id    string
			do    func(ctx context.Context, c cluster.Cluster) error
			cause string // part of the reason for distrust; empty: nothing is lost, and there is none
			tries int    // recordings
		}{
			{"killed-agent", kill("worker", "agent"), "(Error, exit code 137)", 1},
			{"paused-agent", pause("worker", "agent", 1500*time.Millisecond), "late or later, over 0.100 s", 1 + mostSlowed},
			{"silent-api-server", pause("control-plane", "kube-apiserver", 10*time.Second), "a watch was blind until", 1},
			{"dropped-connections", drop("control-plane", 500*time.Millisecond), "", 1},
		} {
			t.Run(row.id, func(t *testing.T) {
				s := harness.Scenario{ID: row.id, Claim: "a damaged harness judges nobody",
					App: fixtures.App{Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
						PreStopSleep: 5 * time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain},
					Kind: harness.UnderLoad{Rollout: damaged{rollout.Update("v1", "v2"), c, row.do}}}
				s.Expect = append(s.Expect, verdict.NoFailures(), verdict.OnlyServes("v2", evidence.OldGone))
				v, err := m.recordAndJudge(ctx, c, "distrust", s, t.Output())
				if err != nil {
					t.Fatal(err)
				}
				for n, want := range map[int]bool{row.tries: true, row.tries + 1: false} {
					if _, err := os.Stat(m.run.folder(c.Mode(), "distrust", row.id, n)); (err == nil) != want {
						t.Errorf("a recording %d: %v, want %v", n, err == nil, want)
					}
				}
				if row.cause == "" {
					if v.Outcome != verdict.Pass {
						t.Errorf("%s: %s", v.Outcome, v.Because)
					}
					return
				}
				if v.Outcome != verdict.Inconclusive || !v.Distrusted || !strings.Contains(v.Because, row.cause) {
					t.Errorf("%s: %s; want inconclusive, because %q", v.Outcome, v.Because, row.cause)
				}
			})
		}
	})
}

// damaged is a strategy during which something happens to the harness.
type damaged struct {
	rollout.Strategy
	cluster cluster.Cluster
	do      func(context.Context, cluster.Cluster) error
}

func (d damaged) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	if err := d.Strategy.Begin(ctx, client, to, app); err != nil {
		return err
	}
	return d.do(ctx, d.cluster)
}

// send sends a signal to a program on a node of the cluster.
func send(ctx context.Context, c cluster.Cluster, node, program, signal string) error {
	_, err := command.Run(ctx, "docker exec %s pkill -%s -x %s", c.Name()+"-"+node, signal, program)
	return err
}

func kill(node, program string) func(context.Context, cluster.Cluster) error {
	return func(ctx context.Context, c cluster.Cluster) error { return send(ctx, c, node, program, "KILL") }
}

// drop makes the API server's node reset every connection to the server, and refuse new ones, for a time. Hits and logs are
// fetched through the server, and so afterwards.
func drop(node string, d time.Duration) func(context.Context, cluster.Cluster) error {
	return func(ctx context.Context, c cluster.Cluster) error {
		const rule = "INPUT --protocol tcp --dport 6443 --jump REJECT --reject-with tcp-reset"
		if _, err := command.Run(ctx, "docker exec %s-%s iptables --insert %s", c.Name(), node, rule); err != nil {
			return err
		}
		time.Sleep(d)
		_, err := command.Run(ctx, "docker exec %s-%s iptables --delete %s", c.Name(), node, rule)
		return err
	}
}

func pause(node, program string, d time.Duration) func(context.Context, cluster.Cluster) error {
	return func(ctx context.Context, c cluster.Cluster) error {
		if err := send(ctx, c, node, program, "STOP"); err != nil {
			return err
		}
		time.Sleep(d)
		return send(ctx, c, node, program, "CONT")
	}
}
