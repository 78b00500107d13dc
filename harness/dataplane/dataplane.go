// Package dataplane knows the programs that route connections to Services on nodes, each in a file of its own: kube-proxy in each of
// its modes, and that there is none. What reads a plane's rules is a source of the observer (harness/observe/noderules).
package dataplane

import (
	"slices"

	"example.com/rollcall/harness/evidence"
)

// A Plane routes connections to a Service to its pods, by rules on each node. Scripts are run there, as root; an empty one is of what
// the plane has nothing of.
type Plane struct {
	Name string // in options, run folders and expectations
	// Supported says whether nodes on a host with such a kernel can run it, and why.
	Supported func(Kernel) (supported bool, because string)

	LoseRules   string                             // removes all that it wrote, which it writes anew when it starts
	LoseService func(ip string, port int32) string // removes what it wrote for a Service
	LoseCanary  string                             // removes what it looks at to see whether its rules were flushed; nothing routes by it
	SkipRules   string                             // has the node pass over its rules for half a second
	UnskipRules string                             // ends that before its time, and does nothing after it
	CleanUp     string                             // removes what an older program would not take away of what a newer one wrote
}

// A Kernel is what planes need of a host's.
type Kernel struct {
	Release  string
	NFTables bool // nf_tables
	IPVS     bool // IP_VS, built in or as a module that can be loaded
}

// All lists the planes that clusters are made with, in the order suites run and reports show them.
func All() []Plane { return []Plane{IPTables, NFTables, IPVS} }

// Names are those of All.
func Names() (names []string) {
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// Of is the plane of a name; where it is not among All, as on clusters of others, one that nothing is known of but the name.
func Of(name string) Plane {
	if i := slices.IndexFunc(All(), func(p Plane) bool { return p.Name == name }); i >= 0 {
		return All()[i]
	}
	return Plane{Name: name, Supported: func(Kernel) (bool, string) { return false, "not a kube-proxy mode" }}
}

// Other is the first plane that is another one.
func (p Plane) Other() Plane {
	all := All()
	return all[slices.IndexFunc(all, func(o Plane) bool { return o.Name != p.Name })]
}

// None is that nothing routes: no kube-proxy, and nobody in its place.
var None = Plane{Name: evidence.NoProxy}
