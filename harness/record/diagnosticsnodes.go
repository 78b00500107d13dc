package record

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"
)

// A look is a command to run on a node, and the file for its output.
type look struct{ file, line string }

// looks lists the commands. They include the rules of every mode: rules of a mode other than kube-proxy's are leftovers.
func looks() []look {
	return []look{
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
			for _, look := range looks() {
				text, err := s.OnNode(ctx, node, look.line)
				f.add(path.Join("nodes", node, look.file), []byte(text), err)
			}
		})
	}
	all.Wait()
}
