package main

import (
	"strings"
	"testing"
)

func TestGroups(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		comm     string
		line     string
		inNode   bool
		group    group
		name     string
	}{
		{"an agent, from the root of its image", "agent", "/agent -listen=:8081", true, agents, "agent"},
		{"somebody's agent elsewhere is none of ours", "agent", "./agent -listen=127.0.0.1:1", false, other, "agent"},
		{"a pod of the app", "echo", "/echo", true, echo, "echo"},
		{"an observer of a node's rules", "noderules", "/noderules -node=worker", true, observers, "noderules"},
		{"a kubelet", "kubelet", "/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml", true, kubelet, "kubelet"},
		{"a suite", "switchover.test", "/src/out/bin/switchover.test -test.v", false, suite, "switchover.test"},
		{"the parent of suites", "rollcall", "out/bin/rollcall run --modes=iptables", false, rollcall, "rollcall"},
		{"what older commits call it", "conformance", "out/bin/conformance run -modes=iptables", false, rollcall, "conformance"},
		{"containerd of a node", "containerd", "/usr/local/bin/containerd", true, containerd, "containerd"},
		{"containerd of the host", "containerd", "containerd --config /var/run/docker/x.toml", false, engine, "containerd"},
		{"dockerd", "dockerd", "dockerd", false, engine, "dockerd"},
		{"a shim of a node", "containerd-shim", "/usr/local/bin/containerd-shim-runc-v2", true, shims, "containerd-shim-runc-v2"},
		{"a shim of the host", "containerd-shim", "/usr/bin/containerd-shim-runc-v2 -namespace moby", false, shims, "containerd-shim-runc-v2"},
		{"the host's way to a node port", "docker-proxy", "/usr/sbin/docker-proxy -proto tcp", false, dockerProxy, "docker-proxy"},
		{"the API server", "kube-apiserver", "kube-apiserver --advertise-address=172.18.0.2", true, apiServer, "kube-apiserver"},
		{"etcd", "etcd", "etcd --name=control-plane", true, etcd, "etcd"},
		{"one whose name the kernel cuts", "kube-controller", "kube-controller-manager --v=2", true, controllers, "kube-controller-manager"},
		{"the scheduler", "kube-scheduler", "kube-scheduler --leader-elect=true", true, scheduler, "kube-scheduler"},
		{"kube-proxy", "kube-proxy", "/usr/local/bin/kube-proxy --config=/var/lib/kube-proxy/config.conf", true, kubeProxy, "kube-proxy"},
		{"DNS", "coredns", "/coredns -conf /etc/coredns/Corefile", true, coredns, "coredns"},
		{"a plugin of containerd", "ptp", "/opt/cni/bin/ptp", true, other, "ptp"},
		{"a softirq thread, whose time /proc/stat has", "ksoftirqd/1", "", false, softirq, "ksoftirqd"},
		{"kernel threads go by what they are", "kworker/1:0-events", "", false, other, "kworker"},
	} {
		c := command{comm: tc.comm, args: strings.Fields(tc.line), inNode: tc.inNode}
		if c.group() != tc.group || c.name() != tc.name {
			t.Errorf("%s: %s in %s, want %s in %s", tc.sentence, c.name(), c.group(), tc.name, tc.group)
		}
	}
}

func TestEveryGroupHasOneRow(t *testing.T) {
	seen := map[group]int{}
	for _, g := range append(loadGroups(), harnessGroups()...) {
		seen[g]++
	}
	all := []group{agents, echo, softirq, kubelet, suite, rollcall, containerd, engine, dockerProxy, apiServer, etcd, controllers,
		scheduler, observers, shims, kubeProxy, coredns, other}
	for _, g := range all {
		if seen[g] != 1 {
			t.Errorf("%s has %d rows", g, seen[g])
		}
	}
	if len(seen) != len(all) {
		t.Errorf("%d rows, want %d", len(seen), len(all))
	}
}
