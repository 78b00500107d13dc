package mutants

import (
	"context"
	"fmt"
	"strings"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

const appPort = fixtures.AppPort

// tableName is the name of our own nftables table, beside those of kube-proxy.
const tableName = "rollcall-mutant"

// table adds a table with these chains to a node for d.
func table(node string, d time.Duration, chains string) disruption.Act {
	return disruption.Lasting(d, node, fmt.Sprintf("nft -f - <<'EOF'\ntable ip %s {\n%s\n}\nEOF", tableName, strings.TrimSpace(chains)),
		"nft delete table ip "+tableName)
}

// packetMutants damage packets on their way.
func packetMutants() []Mutant {
	return []Mutant{
		{ID: "syn-dropped-300ms", Damages: "every SYN to the Service from one node is dropped for 300 ms", Of: drained, EveryMode: true,
			When: begun(time.Second), Do: synDropped(worker, 300*time.Millisecond), Want: verdict.Fail, Cause: "no-slow-replies"},
		{ID: "syn-dropped-800ms", Damages: "every SYN to the Service from one node is dropped for 800 ms, and a client may wait for half of that",
			Of: drained, EveryMode: true, Change: expecting(verdict.ReplyGap(0, 400*time.Millisecond)),
			When: begun(time.Second), Do: synDropped(worker, 800*time.Millisecond), Want: verdict.Fail, Cause: "reply-gap"},
		{ID: "syn-dropped-3s", Damages: "every SYN to the Service from one node is dropped for 3 s", Of: drained, EveryMode: true,
			When: begun(time.Second), Do: synDropped(worker, 3*time.Second), Want: verdict.Fail, Cause: "no-failures"},
		{ID: "refused-300ms", Damages: "every new connection to the app from one node is refused by RST for 300 ms", Of: drained, EveryMode: true,
			When: begun(time.Second), Do: refused(worker, 300*time.Millisecond), Want: verdict.Fail, Cause: "no-failures"},
		{ID: "refused-2s", Damages: "every new connection to the app from one node is refused by RST for 2 s", Of: drained,
			EveryMode: true, Change: expecting(verdict.MaxOutage(time.Second)),
			When: begun(time.Second), Do: refused(worker, 2*time.Second), Want: verdict.Fail, Cause: "max-outage"},
		{ID: "connections-reset", Damages: "every open connection of one node to the app is ended by RST for 300 ms",
			Of: "streams/websocket-told", When: begun(time.Second), Do: ended(worker, 300*time.Millisecond), Want: verdict.Fail, Cause: "told-before-end"},
		{ID: "replies-dropped", Damages: "every reply of the app to one node is dropped for 2.5 s", Of: drained, EveryMode: true,
			Change: expecting(verdict.NoLostReplies()), When: begun(time.Second), Do: repliesDropped(worker, 2500*time.Millisecond),
			Want: verdict.Fail, Cause: "no-lost-replies"},
		{ID: "refused-before-rollout", Damages: "every new connection to the app from one node is refused by RST before anything changes",
			Of: drained, EveryMode: true,
			When: Moment{Event: evidence.LoadBegun, After: 2 * time.Second}, Do: refused(worker, 300*time.Millisecond), Want: verdict.Inconclusive,
			Cause: "early-failures"},
		{ID: "control-lane-cut", Damages: "one node refuses connections to the pod that is not rolled out for 300 ms", Of: drained,
			EveryMode: true,
			When:      begun(time.Second), Do: controlRefused(worker, 300*time.Millisecond), Want: verdict.Inconclusive, Cause: "control-failures"},
		{ID: "conntrack-flushed", Damages: "both workers forget their connections, 4 times in a second", Of: drained, EveryMode: true,
			When: begun(time.Second), Do: disruption.Together(conntrackFlushed(worker), conntrackFlushed(worker2)),
			Want: verdict.Fail, Cause: "no-failures"},
		{ID: "conntrack-full", Damages: "the connection table of one node is full for 3 s", Of: drained, EveryMode: true,
			When: begun(0), Do: conntrackFull(worker), Want: verdict.Inconclusive, Cause: "full-conntrack"},
	}
}

const syn = "tcp flags & (syn | ack) == syn"

// synDropped drops SYNs before DNAT chooses a pod.
func synDropped(node string, d time.Duration) disruption.Act {
	return table(node, d, "chain prerouting { type filter hook prerouting priority -300; tcp dport 80 "+syn+" drop; }")
}

// refused answers SYNs by RST after DNAT has chosen a pod.
func refused(node string, d time.Duration) disruption.Act {
	return table(node, d, fmt.Sprintf(
		"chain forward { type filter hook forward priority -10; ct status dnat tcp dport %d %s reject with tcp reset; }", appPort, syn))
}

// ended answers by RST what clients send over connections that are open.
func ended(node string, d time.Duration) disruption.Act {
	return table(node, d, fmt.Sprintf("chain forward { type filter hook forward priority -10; ct status dnat ct direction original "+
		"tcp dport %d tcp flags & psh == psh reject with tcp reset; }", appPort))
}

// controlRefused answers SYNs by RST that go straight to any control pod.
func controlRefused(node string, d time.Duration) disruption.Act {
	return func(ctx context.Context, s disruption.Stage) error {
		controls, err := s.Cluster.Client().CoreV1().Pods(s.Namespace).List(ctx, fixtures.Controls())
		if err != nil {
			return err
		}
		var addresses []string
		for _, pod := range controls.Items {
			addresses = append(addresses, pod.Status.PodIP)
		}
		return table(node, d, fmt.Sprintf(
			"chain forward { type filter hook forward priority -10; ip daddr { %s } tcp dport %d %s reject with tcp reset; }",
			strings.Join(addresses, ", "), appPort, syn))(ctx, s)
	}
}

func conntrackFlushed(node string) disruption.Act {
	return disruption.Script(node, "for i in 1 2 3 4; do conntrack --flush; sleep 0.25; done")
}

// conntrackFull fills the connection table with entries of unused networks (RFC 2544). The kernel does not drop assured entries
// to make room. conntrack reads a whole file into memory, so each file has few lines; it fails once the table is full.
func conntrackFull(node string) disruption.Act {
	return disruption.Script(node, `trap 'conntrack --delete --orig-dst 198.19.0.1 >/dev/null 2>&1 || true' EXIT
max=$(cat /proc/sys/net/netfilter/nf_conntrack_max)
for file in $(seq $((max / 10000 + 1))); do
	awk -v file=$file 'BEGIN {
		for (i = 0; i < 10000; i++)
			printf "-I -s 198.18.0.%d -d 198.19.0.1 -p udp --sport %d --dport 9 -u SEEN_REPLY,ASSURED -t 30\n", file, 1024 + i
	}' | conntrack --load-file - >/dev/null 2>&1 || break
done
sleep 3`)
}

// repliesDropped drops the replies of pods through the Service, so that pods get requests whose clients give up.
func repliesDropped(node string, d time.Duration) disruption.Act {
	return table(node, d, fmt.Sprintf("chain forward { type filter hook forward priority -10; ct status dnat ct direction reply "+
		"tcp sport %d tcp flags & psh == psh drop; }", appPort))
}
