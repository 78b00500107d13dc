package rollout

import (
	"context"

	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
)

// Steady rolls nothing out: the app stays as it is while something else happens to the cluster.
func Steady(version string) Strategy { return steady{update{version, version}} }

type steady struct{ update }

func (steady) Begin(context.Context, kubernetes.Interface, fixtures.Destination, fixtures.App) error {
	return nil
}

func (steady) Settled(observe.State, fixtures.App) bool { return true }

// Over reports whether every pod is ready again, and the endpoints and every observed node's rules route to all of them.
func (s steady) Over(seen observe.State, app fixtures.App) bool {
	return s.Deployed(seen, app) && seen.ReachesEverywhere(s.new, int(app.Replicas))
}
