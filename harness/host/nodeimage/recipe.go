package nodeimage

import (
	"fmt"
	"strings"

	"example.com/rollcall/harness/kube"
)

// revision is part of every hash. Raise it when a change of a step's code changes the result of the step.
const revision = 1

// A goPart is a part with Go programs of one module.
type goPart struct {
	Name     string
	Module   string
	Version  string
	Packages []string
	// Local is the version of the submodules that the module replaces by folders, if it does so.
	Local   string
	Tags    string
	LDFlags string
	CGO     bool
	Main    string // Go source of our own main package, compiled to the program Name
}

const static = "-s -w "

// programsOf returns the parts with the programs of a node, for a Kubernetes version. Their versions are at least
// those that kubeadm 1.36 and 1.37 ask for, and were tested together.
func programsOf(kubernetes string) []goPart {
	return []goPart{
		kubernetesPart("kubernetes", kubernetes, "cmd/kubeadm", "cmd/kubectl", "cmd/kubelet", "cmd/kube-apiserver",
			"cmd/kube-controller-manager", "cmd/kube-scheduler", "cmd/kube-proxy"),
		{
			Name: "containerd", Module: "github.com/containerd/containerd/v2", Version: "v2.3.7",
			Packages: []string{"cmd/containerd", "cmd/ctr", "cmd/containerd-shim-runc-v2"},
			Tags:     "no_aufs,no_zfs,no_btrfs,no_devmapper",
			LDFlags:  static + "-X github.com/containerd/containerd/v2/version.Version=2.3.7",
		},
		{
			// Without seccomp every pod with a RuntimeDefault profile fails. Static, because the
			// node may have another C library than this host.
			Name: "runc", Module: "github.com/opencontainers/runc", Version: "v1.5.1",
			Packages: []string{"."}, Tags: "seccomp,netgo,osusergo", CGO: true,
			LDFlags: static + "-linkmode external -extldflags -static -X main.version=1.5.1",
		},
		{
			Name: "cni", Module: "github.com/containernetworking/plugins", Version: "v1.9.1", LDFlags: static,
			Packages: []string{"plugins/ipam/host-local", "plugins/main/loopback", "plugins/main/ptp", "plugins/meta/portmap"},
		},
		{
			Name: "etcd", Module: "go.etcd.io/etcd/server/v3", Version: "v3.7.2", Local: "v3.7.2",
			LDFlags: static, Main: etcdMain,
		},
		{
			Name: "coredns", Module: "github.com/coredns/coredns", Version: "v1.14.6", LDFlags: static, Main: corednsMain,
		},
	}
}

// kubernetesPart returns the part with some programs of a Kubernetes version.
func kubernetesPart(name, version string, packages ...string) goPart {
	minor := strings.Split(version, ".")[1]
	x := " -X k8s.io/component-base/version."
	return goPart{
		Name: name, Module: "k8s.io/kubernetes", Version: version, Local: "v0" + strings.TrimPrefix(version, "v1"), Packages: packages,
		LDFlags: static + x + "gitVersion=" + version + x + "gitMajor=1" + x + "gitMinor=" + minor + x + "gitTreeState=archive" + x +
			"gitCommit=" + version,
	}
}

// etcdMain is the source of the etcd server. It is our own because in etcd that program is in another module.
const etcdMain = `package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
`

// corednsMain is the source of CoreDNS with only the plugins that kubeadm's Corefile names: all plugins
// would need the SDKs of three cloud providers.
const corednsMain = `package main

import (
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/loop"
	_ "github.com/coredns/coredns/plugin/metrics"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/reload"
)

func main() { coremain.Run() }
`

// metricsServer is in no node image, because few scenarios need it.
var metricsServer = goPart{
	Name: "metrics-server", Module: "sigs.k8s.io/metrics-server", Version: "v0.9.0", LDFlags: static,
	Packages: []string{"cmd/metrics-server"},
}

// A distribution is the Debian of a node's root file system. It is Debian 12, because the systemd of newer ones
// does not boot on cgroup v1.
type distribution struct {
	Suite    string
	Packages []string
}

var debian = distribution{
	Suite: "bookworm",
	Packages: []string{"systemd", "systemd-sysv", "conntrack", "iptables", "nftables", "iproute2", "ethtool", "util-linux",
		"mount", "kmod", "libseccomp2", "pigz", "e2fsprogs", "bash", "ca-certificates", "curl", "jq", "procps", "ipset", "socat"},
}

// partInputs are the inputs of a part, which its hash covers.
type partInputs struct {
	Revision int
	Value    any
}

// tag returns the name of the image built for a Kubernetes version.
func tag(version string) string { return tagOf(version, debian) }

// tagOf returns the name of an image, which has a hash of all its inputs.
func tagOf(version string, system distribution) string {
	inputs := partInputs{revision, []any{programsOf(version), system, kube.KindVersion, removed, enabled}}
	return fmt.Sprintf("%s:%s-%s", kube.NodeImages, version, contentHash(inputs))
}
