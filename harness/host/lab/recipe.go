package lab

import _ "embed"

// A source is a Debian package of the kernel's sources.
type source struct {
	Suite, Package, Version string
	Folder                  string // in its archive
}

// kernelSource is in a stable suite, and has User-Mode Linux's seccomp mode, which came after 6.12 and makes a guest about
// twice as fast as ptrace does. If the suite has a later version of the package, the build uses that.
var kernelSource = source{Suite: "trixie-backports", Package: "linux-source-7.2", Version: "7.2.12-1~bpo13+1", Folder: "linux-source-7.2"}

// kernelConfig is added to User-Mode Linux's x86_64_defconfig: the options that Docker, kubelet and kube-proxy need, all built in.
//
//go:embed kernel.config
var kernelConfig string

// kernelPatch is applied to the sources. Its first lines say what it changes.
//
//go:embed kernel.patch
var kernelPatch string

// A system is the Debian root of the lab.
type system struct {
	Suite    string
	Packages []string
	Init     string
}

var labSystem = system{
	Suite: "trixie",
	Packages: []string{"docker.io", "docker-cli", "iptables", "iproute2", "e2fsprogs", "kmod", "procps", "ca-certificates", "xz-utils",
		"util-linux", "mount"},
	Init: initScript,
}

// initScript is the lab's process 1.
//
//go:embed init.sh
var initScript string

// Sizes of the disks, which are sparse files. A run writes to copies.
const (
	rootSize   = "4G"
	dockerSize = "24G"
)
