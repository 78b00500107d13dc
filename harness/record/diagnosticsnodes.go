package record

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/secret"
)

// A nodeScript is run on a node, and its output is put into a file.
type nodeScript struct{ file, text string }

// nodeScripts print, among others, the rules of every data plane: those of one that the node does not run are leftovers.
func nodeScripts(proxy *dataplane.Proxy) []nodeScript {
	return []nodeScript{
		{"kubelet.log", fmt.Sprintf("journalctl --unit=kubelet --lines=%d --no-pager", nodeLines)},
		{proxy.Name + ".prom", proxy.Metrics},
		{"iptables.txt", "iptables-save"},
		{"nftables.txt", "nft list ruleset"},
		{"ipvs.txt", "cat /proc/net/ip_vs"},
		{"conntrack.txt", "conntrack --stats"},
	}
}

func (s source) nodes(ctx context.Context, f *folder) {
	if len(s.Nodes) == 0 {
		f.miss("nodes", errors.New("there is no way to run a command on a node"))
	}
	var all sync.WaitGroup
	for _, node := range s.Nodes {
		all.Go(func() {
			for _, script := range nodeScripts(s.Proxy) {
				text, err := s.OnNode(ctx, node, script.text)
				f.add(path.Join("nodes", node, script.file), []byte(secret.URLs(text)), err) // of probes, in the kubelet's log
			}
		})
	}
	all.Wait()
}
