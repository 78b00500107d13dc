package lab

import (
	"fmt"
	"strings"

	"al.essio.dev/pkg/shellescape"
)

// script returns the script that the guest runs. It mounts the guest's folder of runs at the path of the host's, so that the paths
// it prints are right on the host.
func (o Options) script(runs string) string {
	args := []string{"run", "--modes=ipvs", "--k8s=" + o.Kubernetes, "--suites=" + strings.Join(o.Suites, ",")}
	if o.Pattern != "" {
		args = append(args, "--run="+o.Pattern)
	}
	args = append(args, o.Args...)
	return fmt.Sprintf(`runs=%s
mkdir -p "$runs" && mount --bind /lab/out "$runs" && cd /lab/rollcall && ARTIFACTS="$runs" CI=true exec ./rollcall %s
`, shellescape.Quote(runs), shellescape.QuoteCommand(args))
}
