package suites_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// A changed alters a recording so that it shows another cluster.
type changed func(*evidence.Evidence)

// Claims that once passed on clusters on which they are false, each with a recording of such a cluster: an altered one, or one of
// another rollout. Unaltered, a recording of the first kind shows that the claim holds.
func TestClaimsFailWhereTheyAreFalse(t *testing.T) {
	const second = time.Second
	for _, row := range []struct {
		part, cluster   string // the claim, and what is wrong with the cluster
		suite, scenario string
		folder          string  // in suites/testdata/recorded, or in that of the reports
		change          changed // nil: the folder is of another rollout
	}{
		{"C2", "no pod that terminates is sent a request", "statusgap", "recreate", "iptables-recreate", refused(0, second)},
		{"C3", "nodes route to a pod for 2 s", "statusgap", "status-trap", "iptables-drained", routedFor(2 * second)},
		{"C3", "a node routes to a pod for 4 s", "statusgap", "status-trap", "iptables-drained", routedFor(4 * second)},
		{"C5.before", "old pods end with the rollout", "statusgap", "status-trap", "iptables-drained", answeredBy("v2", evidence.StatusDone)},
		{"C5.after", "an old pod answers when none is in the API", "statusgap", "status-trap", "iptables-drained",
			answeredBy("v1", evidence.OldGone)},
		{"C7.clean-cut", "new pods begin before old ones of their name have ended", "statusgap", "stateful-set", "iptables-drained", nil},
		{"C7.status", "old pods answer when the rollout is said to be done", "statusgap", "stateful-set", "iptables-drained", nil},
		{"C10", "a pod more than its limits allow is missing", "rollout", "fenceposts-four-quarter-quarter", "fenceposts-four-quarter-quarter",
			missing(1)},
		{"C11.kills", "an apply takes a minute to scale", "autoscale", "reapply-below-the-minimum", "nftables-reapply-below-the-minimum",
			noted("from the apply to the fewest", "1m0s")},
		{"C11.minimum", "the autoscaler restores another size", "autoscale", "reapply-below-the-minimum", "nftables-reapply-below-the-minimum",
			noted("the autoscaler's word", "New size: 2; reason: Current number of replicas below Spec.MinReplicas")},
		{"C11.size", "the autoscaler stays at its minimum", "autoscale", "reapply-below-the-minimum-by-metric",
			"reapply-below-the-minimum-by-metric", noted("sizes that the autoscaler gave", "New size: 6")},
		{"C12", "percentages of another number", "autoscale", "image-only", "image-only", missing(1)},
		{"C14", "one pod is missing throughout", "autoscale", "reapply-the-same-size", "reapply-the-same-size", missing(1)},
		{"C15.floor", "the autoscaler ignores its minimum", "autoscale", "reapply-below-the-minimum", "nftables-reapply-below-the-minimum",
			noted("the autoscaler's word", "New size: 1; reason: All metrics below target")},
		{"C15.size", "an apply leaves the size", "autoscale", "reapply-below-the-minimum", "nftables-reapply-below-the-minimum",
			noted("replicas after the apply", "12")},
		{"C16.pods", "fewer pods than replicas", "rollout", "all-at-once", "iptables-drained", nil}, // three pods, where 4 are required
		{"C16.resources", "a surge that never exceeds one pod", "rollout", "all-at-once", "iptables-drained", nil},
		{"C17.all-at-once", "both strategies mix for as long", "rollout", "all-at-once", "iptables-drained", mixedFor(12 * second)},
		{"C17.one-by-one", "both strategies mix for as long", "rollout", "one-by-one", "iptables-drained", nil}, // pods that start in 1 s
		{"C19", "nodes switch within 4 s", "switchover", "blue-green-back", "blue-green-back", switchesFor(4 * second)},
		{"C27", "a surge of 30 % makes 5 of 3 pods", "rollout", "fenceposts-three-thirty-tenth", "fenceposts-three-thirty-tenth", more(1)},
		{"C28", "no old pod ends before all new ones are ready", "rollout", "gradual-full-surge", "gradual-full-surge",
			noted("old pods left when 1 of the new ones are ready", "4")},
		{"C29.percentages", "a percentage leaves no pod", "rollout", "scaled-down-limits-percent", "scaled-down-limits-percent",
			noted("old pods kept while no new pod gets ready", "0")},
		{"C29.numbers", "a number leaves as many as a percentage", "rollout", "scaled-down-limits-absolute", "scaled-down-limits-absolute",
			noted("old pods kept while no new pod gets ready", "3")},
		{"C32.unprobed", "unprobed pods lose no request", "control", "unprobed", "unprobed", unfailing},
		{"C36", "an endpoint is ready for a minute after its pod was deleted", "termination", "endpoint-serving", "endpoint-serving",
			later(evidence.EndpointNotReady, time.Minute)},
		{"C37.terminating", "nodes route to endpoints that are not ready for 7 s", "rollout", "drained-rolling-update", "iptables-drained",
			routedFor(7 * second)},
		{"C39.sigterm-first", "rules wait for no pod", "termination", "order-sigterm-first", "order-sigterm-first",
			later(evidence.PodSigterm, 5*second)},
		{"C40", "a request is lost in the sleep", "rollout", "all-at-once", "iptables-drained", refused(second, second+40*time.Millisecond)},
		{"C41.kube-proxy", "ports of nodes are answered without kube-proxy", "termination", "dataplane-absent", "dataplane-absent",
			answered("without-kube-proxy")},
		{"C41.kube-proxy", "ports of nodes are firewalled", "termination", "dataplane-absent", "dataplane-absent", unanswered("with-kube-proxy")},
		{"C41.others", "every data plane leaves out endpoints that are not ready", "termination", "dataplane-absent", "dataplane-absent",
			byAnother("by-rules-of-others")},
	} {
		t.Run(row.part+"/"+row.cluster, func(t *testing.T) {
			var reasons []verdict.Reason
			claimed := func(change changed) verdict.Claim {
				s := named(t, row.suite, row.scenario)
				ev := recordedFor(t, row.folder)
				ev.Run.Covers, ev.Run.Expect = s.Covers(), s.Expect
				if change != nil {
					change(&ev)
				}
				tl, err := timeline.Join(ev)
				if err != nil {
					t.Fatal(err)
				}
				v := verdict.Judge(ev.Run, tl)
				reasons = v.Distrust
				i := slices.IndexFunc(v.Claims, func(c verdict.Claim) bool { return c.ID == row.part })
				if i < 0 {
					t.Fatalf("%s/%s does not decide it", row.suite, row.scenario)
				}
				return v.Claims[i]
			}
			if row.change != nil && !strings.HasPrefix(row.folder, "iptables-drained") {
				if c := claimed(nil); c.Outcome != verdict.Pass || !c.Falsifiable {
					t.Errorf("as recorded it is %s: %s (%v)", c.Outcome, c.Because, reasons)
				}
			}
			if c := claimed(row.change); c.Outcome != verdict.Fail {
				t.Errorf("it is %s: %s", c.Outcome, c.Because)
			}
		})
	}
}

// recordedFor reads a recorded folder of the suites or of the reports.
func recordedFor(t *testing.T, folder string) evidence.Evidence {
	t.Helper()
	for _, dir := range []string{"testdata", filepath.Join(root, "reports/testdata"), filepath.Join(root, "harness/verdict/testdata")} {
		if ev, err := store.Read(filepath.Join(dir, "recorded", folder)); err == nil {
			return ev
		}
	}
	t.Fatalf("no recorded folder %s", folder)
	return evidence.Evidence{}
}
