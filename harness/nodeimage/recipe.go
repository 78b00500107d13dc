package nodeimage

import (
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/usage"
)

// Default is the Kubernetes version used when none is asked for.
const Default = "v1.37.2"

// releases are the Kubernetes versions that can be built here, newest first, one per minor.
var releases = []string{"v1.37.2", "v1.36.3", "v1.35.4"}

// Releases are the Kubernetes versions that are known, newest first.
func Releases() []string { return slices.Clone(releases) }

// revision is part of every hash; raise it when the code of a step changes what the step makes.
const revision = 1

// Resolve turns a version as a person writes it ("v1.36.3", "1.36", "v1.36.x") into one of the releases.
func Resolve(asked string) (string, error) {
	if asked == "" {
		return Default, nil
	}
	want := "v" + strings.TrimSuffix(strings.TrimPrefix(asked, "v"), ".x")
	at := slices.IndexFunc(releases, func(r string) bool {
		return r == want || strings.HasPrefix(r, want+".") && strings.Count(want, ".") == 1
	})
	if at < 0 {
		return "", usage.New("Kubernetes version "+asked, "no node image is known for it", "use one of "+strings.Join(releases, ", "))
	}
	return releases[at], nil
}

// A goPart is a part made of Go programs of one module, compiled in a module of their own.
type goPart struct {
	Name     string
	Module   string
	Version  string
	Packages []string
	// Local is the version of the module's own submodules, for modules that replace those by folders.
	Local   string
	Tags    string
	LDFlags string
	CGO     bool
	Main    string // Go source of a program of ours, compiled beside Packages into Name
}

const static = "-s -w "

// programsOf lists the programs of a node, for a Kubernetes version. Versions are those that kubeadm
// 1.36 and 1.37 ask for or newer, and that were run together.
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
			// node's C library need not be this host's.
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

// kubernetesPart has some programs of a Kubernetes version.
func kubernetesPart(name, version string, packages ...string) goPart {
	minor := strings.Split(version, ".")[1]
	x := " -X k8s.io/component-base/version."
	return goPart{
		Name: name, Module: "k8s.io/kubernetes", Version: version, Local: "v0" + strings.TrimPrefix(version, "v1"), Packages: packages,
		LDFlags: static + x + "gitVersion=" + version + x + "gitMajor=1" + x + "gitMinor=" + minor + x + "gitTreeState=archive" + x +
			"gitCommit=" + version,
	}
}

// etcdMain is the server program alone; the module's own folder for it is not the module's root.
const etcdMain = `package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
`

// corednsMain has just the plugins that kubeadm's Corefile names: the full set compiles the SDKs of
// three cloud providers.
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

// metricsServer is no part of a node image: few scenarios need it.
var metricsServer = goPart{
	Name: "metrics-server", Module: "sigs.k8s.io/metrics-server", Version: "v0.9.0", LDFlags: static,
	Packages: []string{"cmd/metrics-server"},
}

// A distribution is the Debian root file system of a node. Debian 12 because its systemd still
// boots on cgroup v1; newer ones refuse.
type distribution struct {
	Suite    string
	Packages []string
}

var debian = distribution{
	Suite: "bookworm",
	Packages: []string{"systemd", "systemd-sysv", "conntrack", "iptables", "nftables", "iproute2", "ethtool", "util-linux",
		"mount", "kmod", "libseccomp2", "pigz", "e2fsprogs", "bash", "ca-certificates", "curl", "jq", "procps", "ipset", "socat"},
}

// partInputs are what a part is hashed by.
type partInputs struct {
	Revision int
	Value    any
}

// tag is the name of the image built for a Kubernetes version.
func tag(version string) string { return tagOf(version, debian) }

// tagOf has a hash of all inputs of an image.
func tagOf(version string, system distribution) string {
	inputs := partInputs{revision, []any{programsOf(version), system, kindVersion, removed, enabled}}
	return fmt.Sprintf("rollcall.local/node:%s-%s", version, contentHash(inputs))
}
