package change

import (
	"context"
	"fmt"

	"example.com/rollcall/harness/cluster"
)

// Mode returns the change that has kube-proxy run in another mode on one node, given by its Kubernetes name. The others keep their
// mode, because a kube-proxy reads its configuration only at its start. Started in another mode, it first removes the rules of the
// mode before (cmd/kube-proxy/app/server_linux.go, platformCleanup, v1.37).
func Mode(node, mode string) cluster.Change { return modeOn{node, mode} }

type modeOn struct{ node, mode string }

func (m modeOn) String() string { return fmt.Sprintf("mode %s of kube-proxy on %s", m.mode, m.node) }

func (m modeOn) Make(ctx context.Context, c cluster.Changeable) (undo func(context.Context) error, err error) {
	return changeProxyConfig(ctx, c, []string{m.node}, func(config map[string]any) error {
		config["mode"] = m.mode
		return nil
	})
}
