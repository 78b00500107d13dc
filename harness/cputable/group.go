package main

import (
	"math"
	"path/filepath"
	"strings"
)

// A group is a row of the table.
type group string

// Groups. Shims are those of nodes and of the host.
const (
	agents      group = "agent"
	echo        group = "echo"
	softirq     group = "softirq, irq"
	kubelet     group = "kubelet"
	suite       group = "suite"
	rollcall    group = "rollcall"
	containerd  group = "containerd"
	engine      group = "host dockerd, containerd"
	dockerProxy group = "docker-proxy"
	apiServer   group = "kube-apiserver"
	etcd        group = "etcd"
	controllers group = "kube-controller-manager"
	scheduler   group = "kube-scheduler"
	observers   group = "noderules (observers)"
	shims       group = "containerd-shim"
	kubeProxy   group = "kube-proxy"
	coredns     group = "coredns"
	other       group = "other"
	neighbour   group = "other programs of the host"
	itself      group = "this program"
)

// loadGroups and harnessGroups are the rows in the order they are printed.
func loadGroups() []group { return []group{agents, echo, softirq} }
func harnessGroups() []group {
	return []group{kubelet, suite, rollcall, containerd, shims, engine, dockerProxy, apiServer, etcd, controllers, scheduler,
		kubeProxy, coredns, observers, other}
}

// neighbours takes out of the harness what ran on the host before the run began and is no container engine.
func neighbours(processes map[process]used) {
	began := uint64(math.MaxUint64)
	for id, u := range processes {
		if u.group == rollcall || u.group == suite {
			began = min(began, id.started)
		}
	}
	for id, u := range processes {
		if u.group == other && u.hostProgram && id.started < began {
			u.group = neighbour
			processes[id] = u
		}
	}
}

// A command is what tells processes apart.
type command struct {
	comm   string   // the kernel's name for it
	args   []string // none of a kernel thread
	inNode bool     // in a PID namespace of its own
}

// group is the row a process belongs to; softirq for the kernel's threads that run softirqs, whose time /proc/stat has too.
func (c command) group() group {
	if len(c.args) == 0 {
		if strings.HasPrefix(c.comm, "ksoftirqd/") {
			return softirq
		}
		return other
	}
	switch c.args[0] { // images have their program at the root
	case "/agent", "agent-outside":
		return agents
	case "/echo":
		return echo
	case "/noderules":
		return observers
	}
	switch name := filepath.Base(c.args[0]); {
	case name == "dockerd", name == "containerd" && !c.inNode:
		return engine
	case name == "conformance": // of a commit whose program is called that
		return rollcall
	case strings.HasSuffix(name, ".test"):
		return suite
	case strings.HasPrefix(name, "containerd-shim"):
		return shims
	default:
		for _, g := range []group{kubelet, rollcall, containerd, dockerProxy, apiServer, etcd, controllers, scheduler, kubeProxy, coredns} {
			if name == string(g) {
				return g
			}
		}
	}
	return other
}

// hostProgram is whether it is neither in a node nor one of the kernel's threads.
func (c command) hostProgram() bool { return len(c.args) > 0 && !c.inNode }

// name is what a process is called among others.
func (c command) name() string {
	if len(c.args) == 0 {
		name, _, _ := strings.Cut(c.comm, "/") // one for each processor
		return name
	}
	return filepath.Base(c.args[0])
}
