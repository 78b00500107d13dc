package change

import (
	"context"
	"fmt"

	"example.com/rollcall/harness/cluster"
)

// Mode has the kube-proxy of one node, by its whole name, run in another mode. The others keep theirs: a kube-proxy reads its
// configuration when it starts. When it starts in another mode it removes what it wrote in the one before, and then writes its
// rules anew (cmd/kube-proxy/app/server_linux.go, platformCleanup, v1.37).
func Mode(node, mode string) cluster.Change { return modeOn{node, mode} }

type modeOn struct{ node, mode string }

func (m modeOn) String() string { return fmt.Sprintf("mode %s of kube-proxy on %s", m.mode, m.node) }

func (m modeOn) Make(ctx context.Context, c cluster.Changeable) (undo func(context.Context) error, err error) {
	return changeProxyConfig(ctx, c, []string{m.node}, func(config map[string]any) error {
		config["mode"] = m.mode
		return nil
	})
}
