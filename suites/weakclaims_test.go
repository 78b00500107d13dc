package suites_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
)

// A changed alters a recording so that it shows another cluster.
type changed func(*evidence.Evidence)

// Each claim fails on a cluster on which it, or what is true instead, is false: by a recording of such a cluster, an altered one, or one of
// another rollout. Unaltered, an altered recording shows that the claim holds.
func TestClaimsFailWhereTheyAreFalse(t *testing.T) {
	const second = time.Second
	for _, row := range []struct {
		part, cluster   string // the claim, and what is wrong with the cluster
		suite, scenario string
		folder          string  // in suites/testdata/recorded, or in that of the reports
		change          changed // nil: the folder is of another rollout
		today           changed // what a recording of today has beside; nil: nothing
	}{
		{"C1", "rollout status waits until old pods are gone", "statusgap", "status-trap", "iptables-drained",
			marked(evidence.StatusDone, evidence.OldGone), nil},
		{"C2", "no pod that terminates is sent a request", "statusgap", "recreate", "iptables-recreate", refused(0, second), nil},
		{"C3", "nodes route to a pod for 2 s", "statusgap", "status-trap", "iptables-drained", routedFor(2 * second), nil},
		{"C3", "a node routes to a pod for 4 s", "statusgap", "status-trap", "iptables-drained", routedFor(4 * second), nil},
		{"C4", "rollout status reports success when pods are ready, whatever minReadySeconds says", "statusgap", "availability-after-min-ready",
			"availability-after-min-ready", noted("from the last new pod's availability until rollout status reports success", "-9.96s"), nil},
		{"C5.before", "old pods end with the rollout", "statusgap", "status-trap", "iptables-drained", answeredBy("v2", evidence.StatusDone),
			nil},
		{"C5.after", "an old pod answers when none is in the API", "statusgap", "status-trap", "iptables-drained",
			answeredBy("v1", evidence.OldGone), nil},
		{"C6", "new pods are created while old ones run", "statusgap", "recreate", "iptables-recreate", createdAt(evidence.RolloutBegun), nil},
		{"C7.clean-cut", "pods come back under other names, as those of a Deployment do", "statusgap", "stateful-set", "iptables-drained",
			nil, nil},
		{"C7.status", "old pods answer when the rollout is said to be done", "statusgap", "stateful-set", "iptables-drained", nil, nil},
		{"C8", "the first call after rollout status reaches the new pod", "statusgap", "migration-call", "migration-call",
			byNewest("when-rollout-status-reports-success"), nil},
		{"C9", "the API server keeps all pods by default", "rollout", "defaults", "defaults", noted("max unavailable", "0"), nil},
		{"C10", "all 4 pods stay available", "rollout", "fenceposts-four-quarter-quarter", "fenceposts-four-quarter-quarter",
			noted("pods available while no new pod gets ready", "4"), nil},
		{"C10", "a pod more than its limits allow is missing", "rollout", "fenceposts-four-quarter-quarter", "fenceposts-four-quarter-quarter",
			missing(1), nil},
		{"C11.kills", "an apply takes a minute to scale", "autoscale", "reapply-below-the-minimum", "nftables-reapply-below-the-minimum",
			noted("from the apply to the fewest", "1m0s"), nil},
		{"C11.minimum", "the autoscaler restores another size", "autoscale", "reapply-below-the-minimum", "nftables-reapply-below-the-minimum",
			noted("the autoscaler's word", "New size: 2; reason: Current number of replicas below Spec.MinReplicas"), nil},
		{"C11.size", "the autoscaler stays at its minimum", "autoscale", "reapply-below-the-minimum-by-metric",
			"reapply-below-the-minimum-by-metric", noted("sizes that the autoscaler gave", "New size: 6"), nil},
		{"C12", "a Deployment keeps its manifest's size beside the autoscaler's, and counts with it", "autoscale", "image-only", "image-only",
			sized("v2", 1), nil},
		{"C13.kills", "pods are scaled down one after the other", "autoscale", "reapply-at-the-minimum", "reapply-at-the-minimum",
			noted("fewest available pods", "3"), nil},
		{"C13.size", "an autoscaler stays at its minimum of 1", "autoscale", "reapply-below-the-minimum-by-metric",
			"reapply-below-the-minimum-by-metric", noted("replicas that the autoscaler restored of 4", "1"),
			found("fewest available pods of 4", "1", "replicas that the autoscaler restored of 4", "4",
				"from the apply to the autoscaler's write with a minimum of 1", "9.2s")},
		{"C14", "nobody lets a pod be unavailable, whatever the manifest says", "autoscale", "reapply-the-same-size-by-default",
			"reapply-the-same-size", nil, nil},
		{"C15.floor", "the autoscaler ignores its minimum", "autoscale", "reapply-below-the-minimum", "nftables-reapply-below-the-minimum",
			noted("the autoscaler's word", "New size: 1; reason: All metrics below target"), nil},
		{"C15.size", "an apply leaves the size", "autoscale", "reapply-below-the-minimum", "nftables-reapply-below-the-minimum",
			noted("replicas after the apply", "12"), nil},
		{"C16.pods", "fewer pods than replicas", "rollout", "all-at-once", "iptables-drained", nil, nil}, // three pods, where 4 are required
		{"C16.resources", "a surge that never exceeds one pod", "rollout", "all-at-once", "iptables-drained", nil, nil},
		{"C17.all-at-once", "both strategies mix for as long", "rollout", "all-at-once", "iptables-drained", mixedFor(12 * second), nil},
		{"C17.one-by-one", "both strategies mix for as long", "rollout", "one-by-one", "iptables-drained", nil, nil}, // pods that start in 1 s
		{"C18", "the first new pod that is ready gets every request", "rollout", "drained-rolling-update", "iptables-drained",
			answeredBy("v2", evidence.RolloutBegun), nil},
		{"C19", "nodes switch within 4 s", "switchover", "blue-green-back", "blue-green-back", switchesFor(4 * second), nil},
		{"C20.strategies", "there is a third strategy", "rollout", "strategies", "strategies", noted("type BlueGreen", "accepted"), nil},
		{"C20.default", "Recreate is the default", "rollout", "defaults", "defaults", noted("strategy", "Recreate"), nil},
		{"C21", "two pods are started at first", "rollout", "fenceposts-three-thirty-tenth", "fenceposts-three-thirty-tenth", sized("v2", 2),
			nil},
		{"C22", "a Deployment counts terminating pods among its total", "rollout", "conditions", "conditions",
			noted("describe says of pods", "3 desired | 3 updated | 6 total | 3 available | 3 unavailable"), describedWhole},
		{"C22", "a Deployment that is rolled out is not Available", "rollout", "conditions", "conditions",
			noted("Available in turn", "True MinimumReplicasAvailable, False MinimumReplicasUnavailable"), describedWhole},
		{"C23", "each rollout makes a ReplicaSet", "rollout", "rollback", "rollback", noted("history after v1 again", "1 v1, 2 v2, 3 v1"), nil},
		{"C24", "another minReadySeconds replaces the pods", "rollout", "template-only", "template-only",
			noted("after minReadySeconds", "revision 2, 0 of 2 first pods"), nil},
		{"C25", "5 old ReplicaSets are kept", "rollout", "history-limit", "history-limit",
			noted("history with a limit of 10", "8 v1, 9 v1, 10 v1, 11 v1, 12 v1, 13 v1"), nil},
		{"C26", "one pod more is missing", "rollout", "fenceposts-ten-thirty-thirty", "fenceposts-ten-thirty-thirty", missing(1), nil},
		{"C27", "a surge of 30 % makes 5 of 3 pods", "rollout", "fenceposts-three-thirty-tenth", "fenceposts-three-thirty-tenth", more(1), nil},
		{"C28", "no old pod ends before all new ones are ready", "rollout", "gradual-full-surge", "gradual-full-surge",
			noted("old pods left when 1 of the new ones are ready", "4"), nil},
		{"C29.percentages", "a percentage leaves no pod", "rollout", "scaled-down-limits-percent", "scaled-down-limits-percent",
			noted("old pods kept while no new pod gets ready", "0"), nil},
		{"C29.numbers", "a number leaves as many as a percentage", "rollout", "scaled-down-limits-absolute", "scaled-down-limits-absolute",
			noted("old pods kept while no new pod gets ready", "3"), nil},
		{"C30.undrained", "some pod answers while none of the Deployment runs", "switchover", "delete-and-apply", "delete-and-apply",
			unfailing, nil},
		{"C30.drained", "pods end at once, whatever their hooks say", "switchover", "delete-and-apply-drained", "delete-and-apply", nil, nil},
		{"C31", "every node's rules follow before a pod ends", "control", "undrained-rolling-update", "iptables-undrained", unfailing, nil},
		{"C32.unprobed", "unprobed pods lose no request", "control", "unprobed", "unprobed", unfailing, nil},
		{"C32.probed", "pods end before rules follow, whatever their hooks say", "rollout", "one-by-one", "iptables-undrained", nil, nil},
		{"C33", "a sleep of 0 s is refused, as before Kubernetes 1.33", "termination", "hook-validation", "hook-validation",
			noted("sleep of 0s with a grace of 5s", "Invalid value: 0: must be greater than 0 and less than terminationGracePeriodSeconds (5)"),
			nil},
		{"C34", "SIGTERM comes when the hook begins", "termination", "grace-ignored", "grace-ignored", later(evidence.PodSigterm, -6*second),
			nil},
		{"C35", "a pod's deletion is seen when it is gone", "termination", "endpoint-serving", "endpoint-serving",
			noted("events of the pod", "DELETED"), nil},
		{"C36", "an endpoint is ready for a minute after its pod was deleted", "termination", "endpoint-serving", "endpoint-serving",
			later(evidence.EndpointNotReady, time.Minute), nil},
		{"C37.terminating", "nodes route to endpoints that are not ready for 7 s", "rollout", "drained-rolling-update", "iptables-drained",
			routedFor(7 * second), nil},
		{"C38", "nodes refuse connections while no endpoint is ready", "statusgap", "recreate", "iptables-recreate", refused(0, second), nil},
		{"C39.rules-first", "pods get SIGTERM at once, whatever their hooks say", "rollout", "drained-rolling-update", "iptables-undrained",
			nil, nil},
		{"C39.sigterm-first", "every pod sleeps before its SIGTERM, as an admission webhook may make it", "termination", "order-sigterm-first",
			"iptables-drained", nil, nil},
		{"C39.sigterm-first", "rules wait for no pod", "termination", "order-sigterm-first", "order-sigterm-first",
			later(evidence.PodSigterm, 5*second), nil},
		{"C40", "a request is lost in the sleep", "rollout", "all-at-once", "iptables-drained", refused(second, second+40*time.Millisecond),
			nil},
		{"C41.kube-proxy", "ports of nodes are answered without kube-proxy", "termination", "dataplane-absent", "dataplane-absent",
			answered("without-kube-proxy"), nil},
		{"C41.kube-proxy", "ports of nodes are firewalled", "termination", "dataplane-absent", "dataplane-absent",
			unanswered("with-kube-proxy"), nil},
	} {
		t.Run(row.part+"/"+row.cluster, func(t *testing.T) {
			var reasons []verdict.Reason
			claimed := func(change changed) verdict.Claim {
				s := named(t, row.suite, row.scenario)
				ev := recordedFor(t, row.folder)
				ev.Run.Covers, ev.Run.Expect = s.Covers(), s.Expect
				for _, change := range []changed{row.today, change} {
					if change != nil {
						change(&ev)
					}
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

// Every claim has a row: its sentence says what is different about the cluster.
func TestEveryClaimFailsSomewhere(t *testing.T) {
	text := readFile(t, "weakclaims_test.go")
	for n := range reports.SeedClaims {
		id := fmt.Sprint("C", n+1)
		if !strings.Contains(text, `{"`+id+`"`) && !strings.Contains(text, `{"`+id+`.`) {
			t.Errorf("no cluster is known on which %s fails", id)
		}
	}
}

// describedWhole adds to a recording from before kubectl's own description was noted what that says.
var describedWhole = found(
	"describe says of pods", "3 desired | 3 updated | 3 total | 3 available | 0 unavailable",
	"describe says of conditions", "Available True MinimumReplicasAvailable, Progressing True NewReplicaSetAvailable",
	"describe says of ReplicaSets", "v2 (3/3 replicas created) beside v1 (0/0 replicas created)",
	"describe says of scalings", "Scaled down replica set v1 from 1 to 0, Scaled down replica set v1 from 2 to 1, "+
		"Scaled down replica set v1 from 3 to 2, Scaled up replica set v1 from 0 to 3, Scaled up replica set v2 from 0 to 1, "+
		"Scaled up replica set v2 from 1 to 2, Scaled up replica set v2 from 2 to 3",
	"describe says of pods while one is not ready", "3 desired | 1 updated | 4 total | 3 available | 1 unavailable",
	"describe says of conditions then", "Available True, Progressing True")
