package disruption

import (
	"fmt"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// proxy: the rules that kube-proxy wrote keep routing without it, and a new one adopts them. Without kube-proxy they stay the same,
// which costs nothing until endpoints change.
func proxy() []harness.Scenario {
	rolling := inRollout("while a node has no kube-proxy that works, an app that drains loses requests of clients on that node, and of no others",
		drained(), disruption.Disruption{
			ID: "proxy-down-in-rollout", Does: "kube-proxy of worker is stopped for 20 s while the app is rolled out", Nodes: onWorker,
			Lasts: 20 * time.Second, Do: disruption.Stopped(disruption.Worker, "kube-proxy", 20*time.Second),
		}, onlyOn(evidence.Fresh)...)
	return []harness.Scenario{
		steady("a restart of kube-proxy fails no request", drained(), disruption.Disruption{
			ID: "proxy-restarted", Does: "kube-proxy of worker is restarted", Nodes: onWorker, Lasts: 10 * time.Second,
			Do: disruption.Restarting(disruption.Worker, "kube-proxy", disruption.ProxyRestarted(disruption.Worker)),
		}, verdict.NoFailures(), verdict.NoSlowReplies(), restarted()),
		steady("a kube-proxy that is killed fails no request", drained(), disruption.Disruption{
			ID: "proxy-killed", Does: "kube-proxy of worker is killed", Nodes: onWorker, Lasts: 10 * time.Second,
			Do: disruption.Killed(disruption.Worker, "kube-proxy"),
		}, verdict.NoFailures(), verdict.NoSlowReplies()),
		steady("a node without a kube-proxy that works fails no request while no endpoint changes", drained(), disruption.Disruption{
			ID: "proxy-down", Does: "kube-proxy of worker is stopped for 15 s", Nodes: onWorker, Lasts: 15 * time.Second,
			Do: disruption.Stopped(disruption.Worker, "kube-proxy", 15*time.Second),
		}, verdict.NoFailures()),
		rolling,
	}
}

// rules: kube-proxy does not check whether its rules are still there. Open connections continue, through the node's connection
// tracking. Here a new kube-proxy brings the rules back.
func rules() []harness.Scenario {
	const lost = 8 * time.Second
	keepAlive := verdict.NoFailures().On(evidence.Reused)
	canary := steady("deleting the chains KUBE-PROXY-CANARY, by which kube-proxy notices that its rules were flushed, fails no request",
		drained(), disruption.Disruption{
			ID: "rules-canary", Does: "the chains KUBE-PROXY-CANARY of worker are deleted, and then kube-proxy is restarted", Nodes: onWorker,
			Lasts: 10 * time.Second, Do: disruption.RulesLost(disruption.Worker, disruption.Canary, lost),
		}, verdict.NoFailures())
	return []harness.Scenario{
		canary,
		steady("deleting all of kube-proxy's rules on a node fails new connections from there until the rules are back, and no other request",
			drained(), disruption.Disruption{
				ID: "rules-lost", Does: "every rule of kube-proxy's on worker is deleted for 8 s, and then kube-proxy is restarted", Nodes: onWorker,
				Lasts: lost, Do: disruption.RulesLost(disruption.Worker, disruption.AllRules, lost),
			}, append(onlyOn(evidence.Fresh), keepAlive,
				verdict.RecoversWithin(time.Second, evidence.DisruptionUndone))...),
		steady("deleting the rules of one Service on a node fails new connections to it from there until the rules are back, and no other request",
			drained(), disruption.Disruption{
				ID: "rules-of-service-lost", Does: "the rules of one Service are deleted on worker for 8 s, and then kube-proxy is restarted",
				Nodes: onWorker, Lasts: lost, Do: disruption.RulesLost(disruption.Worker, disruption.ServiceRules, lost),
			}, append(onlyOn(evidence.Fresh), keepAlive,
				verdict.RecoversWithin(time.Second, evidence.DisruptionUndone))...),
	}
}

// rewritten is how long a kube-proxy that starts may take from removing its old rules until it writes new ones: it lists its node,
// Services and EndpointSlices, where a failed list is tried again after up to 1.6 s (defaultBackoffInit and its jitter, client-go,
// tools/cache/reflector.go, v0.37), and then writes at once, as after a change.
const rewritten = 2*time.Second + followed

// mode: a kube-proxy that starts in another mode removes its old rules, and only then asks the API server what to write. In between
// its node has no rules. Its twin is rules-lost, which keeps it like this for longer.
func mode() []harness.Scenario {
	return []harness.Scenario{
		steady("a node whose kube-proxy changes between iptables and nftables loses new connections for up to 5 s, each way, and no others",
			drained(), disruption.Disruption{
				ID: "mode-switched", Does: "kube-proxy of worker runs in the other mode, and after 12 s in its own again",
				Nodes: onWorker, Lasts: 40 * time.Second, Do: disruption.ModeSwitched(disruption.Worker, 12*time.Second),
			}, append(onlyOn(evidence.Fresh),
				verdict.NoFailures().On(evidence.Reused), verdict.MaxOutage(rewritten).OnDisrupted())...),
	}
}

// tick is how much a cut of a known length may be longer or shorter than asked for, including the time of a reply: the kernel ends
// a cut at a tick of its clock, which takes 4 ms at most.
const tick = 5 * time.Millisecond

// cut: does Rollcall measure how long clients get no reply? No request fails if packets are dropped for less than a second, since
// TCP sends a SYN again after that.
func cut() (list []harness.Scenario) {
	for _, c := range []struct {
		id    string
		lasts time.Duration
	}{{"cut-short", 300 * time.Millisecond}, {"cut-medium", 3 * time.Second}, {"cut-long", 30 * time.Second}} {
		claim := fmt.Sprintf("clients on a node that drops their packets for %v get no reply over new connections for as long", c.lasts)
		list = append(list, steady(claim, drained(),
			disruption.Disruption{
				ID: c.id, Does: fmt.Sprintf("worker drops for %v what its clients send to the Service", c.lasts),
				Nodes: onWorker, Lasts: c.lasts, Do: disruption.RequestsDropped(disruption.Worker, c.lasts),
			},
			verdict.ReplyGap(c.lasts-tick, c.lasts+tick).On(evidence.Fresh).OnDisrupted(),
			verdict.NoFailures().OnOthers(),
			verdict.RecoversWithin(time.Second, evidence.DisruptionUndone)))
	}
	return list
}

// conntrack: the packets of a connection that a node has forgotten are routed anew, to a pod that does not know the connection.
func conntrack() []harness.Scenario {
	return []harness.Scenario{
		steady("a node that forgets its connections loses those that are open, once, and none that is opened later",
			drained(), disruption.Disruption{
				ID: "conntrack-flushed", Does: "worker forgets every connection", Nodes: onWorker, Lasts: time.Second,
				Do: disruption.ConntrackFlushed(disruption.Worker),
			},
			verdict.DamageSeen().On(evidence.Reused).OnDisrupted(),
			verdict.NoFailures().OnOthers(),
			// a request may wait its 2 s on a connection that nobody knows
			verdict.RecoversWithin(3*time.Second, evidence.DisruptionBegun),
			// a connection that is being opened at that moment counts as open
			verdict.RecoversWithin(0, evidence.DisruptionUndone).On(evidence.Fresh)),
	}
}

// dns: a client that resolves the Service's name for every connection asks CoreDNS, whose pods still serve for 5 s after SIGTERM
// (lameduck in kubeadm's Corefile, cmd/kubeadm/app/phases/addons/dns/manifests.go, v1.37). Other clients notice nothing.
//
// A node tracks UDP by ports. A query from a port that an earlier query used goes to the pod of that query, even if no rule routes
// there any more, until kube-proxy deletes the entry, up to a second after the pod ended. Of 28,000 ports some 200 had an entry for
// one pod, and there are two queries every 40 ms: a pod that ends loses less than one of a client's 450 queries, and two pods lose
// more than 4 (1 %) once in a thousand recordings.
func dns() []harness.Scenario {
	return resolving(
		steady("replacing every pod of CoreDNS fails no request but for one in a hundred of a client that resolves the name each time",
			drained(), disruption.Disruption{
				ID: "dns-rolled", Does: "every pod of CoreDNS is replaced, as kubectl rollout restart does", Lasts: 20 * time.Second,
				Do: disruption.DNSRolled,
			}, verdict.NoFailures().OnKind("fresh"), verdict.NoFailures().OnKind("reused"),
			verdict.MaxFailedShare(10).OnKind(evidence.Named)),
		steady("deleting every pod of CoreDNS at once fails requests of clients that resolve the name, and of no others",
			drained(), disruption.Disruption{
				ID: "dns-gone", Does: "every pod of CoreDNS is deleted without a grace", Lasts: 10 * time.Second, Do: disruption.DNSGone,
			}, verdict.DamageSeen().OnKind(evidence.Named), verdict.NoFailures().OnKind("fresh"),
			verdict.NoFailures().OnKind("reused")),
	)
}

// resolving adds clients that resolve the Service's name for every connection.
func resolving(scenarios ...harness.Scenario) []harness.Scenario {
	for i, s := range scenarios {
		load := s.UnderLoad()
		load.Also = []string{evidence.Named}
		scenarios[i].Kind = load
	}
	return scenarios
}
