package suites_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/verdict"
)

// The bound of a claim about how soon kube-proxy writes rules is the same on every cluster. The lab's guide lists the claims with
// such bounds, which the lab may skip.
func TestClaimsOfTheLab(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join(root, "harness/lab/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, suite := range slices.Sorted(maps.Keys(all())) {
		for _, s := range all()[suite] {
			for _, x := range s.Expect {
				if rule, _ := verdict.RuleOf(x.Rule); !rule.BoundsSync || len(x.Claims) == 0 {
					continue
				}
				if x.Scales {
					t.Errorf("%s/%s: %s decides %v, and its bound grows with what the cluster takes", suite, s.ID, x.Rule, x.Claims)
				}
				rows = append(rows, fmt.Sprintf("| %s | `%s/%s` | %s %v |\n", strings.Join(x.Claims, ", "), suite, s.ID, x.Rule, x.Max))
			}
		}
	}
	slices.Sort(rows)
	want := "| claim | scenario | rule and bound |\n|---|---|---|\n" + strings.Join(rows, "") + "\n"
	if !strings.Contains(string(guide), want) {
		t.Errorf("harness/lab/README.md lists others than these:\n%s", want)
	}
}
