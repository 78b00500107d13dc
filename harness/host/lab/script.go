package lab

import (
	"fmt"

	"al.essio.dev/pkg/shellescape"
)

// script returns the script that the guest runs. It mounts the guest's folder of runs at the path of the host's, so that the paths
// it prints are right on the host.
func (o Options) script(runs string) string {
	return fmt.Sprintf(`runs=%s
mkdir -p "$runs" && mount --bind /lab/out "$runs" && cd /lab/rollcall && ARTIFACTS="$runs" CI=true exec ./rollcall %s
`, shellescape.Quote(runs), shellescape.QuoteCommand(o.command()))
}

// rate is the requests per second of each lane, as many as a lab carries.
const rate = "--rate=6"

// command returns the arguments of rollcall in the guest.
func (o Options) command() []string {
	return append([]string{"run", "--modes=ipvs", "--k8s=" + o.Kubernetes, rate}, o.Args...)
}
