package suites_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/compare"
)

// The repository's policy accepts exactly the bugs that 1.36.3 is known to have, and says which.
func TestPolicyListsWhatIsKnown(t *testing.T) {
	policy, err := compare.ReadPolicy("regressions/policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	accepted := map[string]string{}
	for _, x := range policy.Exceptions {
		accepted[x.Scenario] = x.Because
	}
	var known, listed []string
	for _, s := range all()["regressions"] {
		name := "regressions/" + s.ID
		if _, has := verdict.AffectedOf(*s.Bug, evidence.Run{Mode: "nftables", Kubernetes: "v1.36.3"}); has {
			known = append(known, name)
		}
		if because, is := accepted[name]; is {
			listed = append(listed, name)
			if !strings.Contains(because, s.Bug.Name()) {
				t.Errorf("%s is accepted without its name: %s", s.Bug.Name(), because)
			}
		}
	}
	slices.Sort(known)
	slices.Sort(listed)
	if diff := cmp.Diff(known, listed); diff != "" || len(listed) != len(policy.Exceptions) {
		t.Errorf("known and accepted differ:\n%s", diff)
	}
}
