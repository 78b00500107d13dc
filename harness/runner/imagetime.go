package runner

import (
	"context"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/nodeimage"
)

// ImageTime estimates how long it takes to build the node images that the scenarios need and this host does not have.
func (r *Runner) ImageTime(ctx context.Context, scenarios []harness.Scenario) (sum time.Duration, err error) {
	versions := map[string]bool{}
	for _, s := range scenarios {
		switch {
		case r.attached != nil:
		case s.Own == nil:
			versions[r.version] = true
		default:
			for _, asked := range append([]string{s.Own.Kubernetes}, s.Own.Upgrades...) {
				version, err := nodeimage.Resolve(asked)
				if err != nil {
					return 0, err
				}
				versions[version] = true
			}
		}
	}
	for version := range versions {
		sum += nodeimage.Expected(ctx, version)
	}
	return sum, nil
}
