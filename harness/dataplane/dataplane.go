// Package dataplane has what routes connections to Services on nodes: each mode of kube-proxy, in a file of its own, and none; and
// kube-proxy itself. No other package knows its ports or its scripts. The code that reads a plane's rules is in the observer
// (harness/observe/noderules), which runs in small containers: this package imports no client of Kubernetes.
package dataplane

import (
	"net/netip"
	"slices"

	"example.com/rollcall/harness/evidence"
)

// A Plane routes connections to a Service to its pods, by rules on each node. Its scripts run on a node, as root; a script is empty if
// the plane has nothing for it to do.
type Plane struct {
	Name  string // in options, run folders and expectations
	Proxy *Proxy // writes its rules on each node; nil: not known
	// Supported reports whether nodes can run it on a host with this kernel, and why.
	Supported func(Kernel) (supported bool, because string)

	LoseRules   string                             // removes all its rules, which its proxy writes again at its next start
	LoseService func(ip string, port int32) string // removes its rules for a Service
	LoseCanary  string                             // removes the chains by which it notices that its rules were flushed; they route nothing
	SkipRules   string                             // has the node ignore its rules for half a second
	UnskipRules string                             // ends SkipRules early; may fail after its end
	CleanUp     string                             // removes rules that an older version does not remove when a newer one wrote them

	List  func(ipv6 bool) string                            // prints its rules of an IP family; nil: no tool of the nodes does
	Entry func(listed string, service netip.AddrPort) Entry // for a TCP port of a Service, in what List has printed
}

// A Kernel has the properties of a host's kernel that planes need.
type Kernel struct {
	Release  string
	NFTables bool // nf_tables
	IPVS     bool // IP_VS, built in or as a module that can be loaded
}

// All returns the planes with which clusters are made, in the order in which suites run and reports show them.
func All() []Plane { return []Plane{IPTables, NFTables, IPVS} }

// Names returns the names of All.
func Names() (names []string) {
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// Of returns the plane of a name. For a name that is not among All, as other clusters may have, it returns a plane with only the name.
func Of(name string) Plane {
	if i := slices.IndexFunc(All(), func(p Plane) bool { return p.Name == name }); i >= 0 {
		return All()[i]
	}
	return Plane{Name: name, Supported: func(Kernel) (bool, string) { return false, "not a kube-proxy mode" }}
}

// Other returns the first plane of All that is not p and has the same proxy; p itself if there is none.
func (p Plane) Other() Plane {
	if i := slices.IndexFunc(All(), func(o Plane) bool { return o.Name != p.Name && o.Proxy == p.Proxy }); i >= 0 {
		return All()[i]
	}
	return p
}

// None stands for a cluster without kube-proxy and without a replacement.
var None = Plane{Name: evidence.NoProxy}
