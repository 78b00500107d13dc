package record

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"

	"example.com/rollcall/harness/secret"
)

// A nodeCommand is a command to run on a node, and the file for its output.
type nodeCommand struct{ file, line string }

// nodeCommands include the rules of every mode: those of a mode other than kube-proxy's are leftovers.
func nodeCommands() []nodeCommand {
	return []nodeCommand{
		{"kubelet.log", fmt.Sprintf("journalctl --unit=kubelet --lines=%d --no-pager", nodeLines)},
		{"kube-proxy.prom", "curl --silent --show-error --fail --max-time 5 http://localhost:10249/metrics"},
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
			for _, c := range nodeCommands() {
				text, err := s.OnNode(ctx, node, c.line)
				f.add(path.Join("nodes", node, c.file), []byte(secret.URLs(text)), err) // of probes, in the kubelet's log
			}
		})
	}
	all.Wait()
}
