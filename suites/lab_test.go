package suites_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/verdict"
)

// How soon kube-proxy writes rules depends on the cluster: minSyncPeriod is 1 s by default and 10 s elsewhere. One claim states a bound,
// C3, which is the same on every cluster; all others follow what its trial measured. The lab's guide lists the claims with such bounds,
// which the lab may skip.
func TestClaimsOfTheLab(t *testing.T) {
	var rows []string
	for _, suite := range slices.Sorted(maps.Keys(all())) {
		for _, s := range all()[suite] {
			for _, x := range s.Expect {
				if rule, _ := verdict.RuleOf(x.Rule); !rule.BoundsSync {
					continue
				}
				stated := slices.Contains(x.Claims, "C3")
				if x.Scales == stated {
					t.Errorf("%s/%s: the bound of %s, which decides %v, grows with what the cluster takes: %v", suite, s.ID, x.Rule, x.Claims, x.Scales)
				}
				if len(x.Claims) > 0 {
					stretched := map[bool]string{true: ", stretched"}[x.Scales]
					rows = append(rows, fmt.Sprintf("| %s | `%s/%s` | %s %v%s |\n", strings.Join(x.Claims, ", "), suite, s.ID, x.Rule, x.Max, stretched))
				}
			}
		}
	}
	slices.Sort(rows)
	table := "| claim | scenario | rule and bound |\n|---|---|---|\n" + strings.Join(rows, "")
	golden.Section(t, "../harness/host/lab/README.md", "bounds", table)
}
