package advice

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/model"
)

func TestAdvice(t *testing.T) {
	const ports = "FailedScheduling: 0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports. preemption: 0/3"
	good := evidence.UserApp{Watched: true, Probed: true, PreStop: 5 * time.Second, Grace: 30 * time.Second}
	lag := model.Numbers{RuleLag: &model.Lags{P50: 300, Max: 1200}}
	failing := func(conn evidence.Conn, n int) model.Lane {
		return model.Lane{Vantage: evidence.FromPod, Conn: conn, Failures: map[evidence.Fault]int{evidence.Reset: n}}
	}
	for _, row := range []struct {
		sentence string
		own      func(*evidence.UserApp)
		numbers  model.Numbers
		lanes    []model.Lane
		seen     timeline.Signs
		want     []string // how each sentence begins
	}{
		{"there is nothing to say", func(*evidence.UserApp) {}, lag, nil, nil, nil},
		{"no sleep", func(o *evidence.UserApp) { o.PreStop = 0 }, lag, nil, nil,
			[]string{"Give the pods a preStop sleep of 3s or more: nodes sent them requests for up to 1.2 s"}},
		{"no sleep, and nothing was measured that asks for one", func(o *evidence.UserApp) { o.PreStop = 0 }, model.Numbers{}, nil, nil, nil},
		{"another hook, whose length nobody knows", func(o *evidence.UserApp) { o.PreStop, o.OtherHook = 0, true }, lag, nil, nil, nil},
		{"a sleep that is too short", func(o *evidence.UserApp) { o.PreStop = 2 * time.Second }, lag, nil, nil,
			[]string{"Make the preStop sleep of 2s at least 3s"}},
		{"a sleep that is long enough: nodes sent to its end because no endpoint was ready", func(*evidence.UserApp) {},
			model.Numbers{RuleLag: &model.Lags{Max: 5900}, NeededDrain: map[string]float64{"n1": 8, "n2": 1200}}, nil, nil, nil},
		{"a grace that is as long as the sleep", func(o *evidence.UserApp) { o.Grace = o.PreStop }, lag, nil, nil,
			[]string{"Make terminationGracePeriodSeconds, 5s, longer than the preStop sleep of 5s"}},
		{"no readiness probe", func(o *evidence.UserApp) { o.Probed = false }, lag, nil, nil, []string{"Give the pods a readiness probe"}},
		{"replicas under an autoscaler", func(o *evidence.UserApp) { o.Autoscaled, o.Replicas = "shop", 3 }, lag, nil, nil,
			[]string{"Leave replicas out of the manifest: the autoscaler shop sets them, and every apply sets them back to 3."}},
		{"an autoscaler alone", func(o *evidence.UserApp) { o.Autoscaled = "shop" }, lag, nil, nil, nil},
		{"Recreate", func(o *evidence.UserApp) { o.Recreate = true }, lag, nil, nil, []string{"The strategy Recreate ends every old pod"}},
		{"only keep-alive connections broke", func(*evidence.UserApp) {}, lag, []model.Lane{failing(evidence.Fresh, 0), failing(evidence.Reused, 7)},
			nil, []string{"Have the app answer with Connection: close"}},
		{"new connections broke too, for which a sleep is advised", func(*evidence.UserApp) {}, lag,
			[]model.Lane{failing(evidence.Fresh, 1), failing(evidence.Reused, 7)}, nil, nil},
		{"a hook that failed: no sleep helps", func(o *evidence.UserApp) { o.PreStop, o.OtherHook = 0, true }, lag, nil,
			timeline.Signs{timeline.HookFailed: {Count: 3}, timeline.RefusedByEnding: {Count: 9}},
			[]string{"The preStop hook failed 3 times, so its pods got SIGTERM at once. Use"}},
		{"a hook that the grace period cut: no sleep helps", func(o *evidence.UserApp) { o.PreStop, o.OtherHook = 0, true }, lag, nil,
			timeline.Signs{timeline.HookCutOff: {Count: 3}, timeline.RefusedByEnding: {Count: 9}},
			[]string{"Make terminationGracePeriodSeconds, 30s, longer than the preStop hook and what the " +
				"last requests take: 3 hooks still ran when it was over, and the app is killed 2s later."}},
		{"a hook that stops the app from listening", func(o *evidence.UserApp) { o.PreStop, o.OtherHook = 0, true }, lag, nil,
			seen(timeline.RefusedByEnding, 9),
			[]string{"Have the preStop hook sleep for 3s before it does anything else: terminating pods refused 9 connections"}},
		{"another hook, and nobody was refused", func(o *evidence.UserApp) { o.PreStop, o.OtherHook = 0, true }, lag, nil, nil, nil},
		{"a front container that outlives what it asks", func(o *evidence.UserApp) { o.Unhooked = []string{"php"} }, lag, nil,
			seen(timeline.GatewayErrors, 12), []string{"Terminating pods answered 12 requests with status 502 to 504: the container " +
				"that answered still ran, and its backend had ended: give container php the same preStop hook."}},
		{"a front container, and no container has a hook", func(*evidence.UserApp) {}, lag, nil,
			seen(timeline.GatewayErrors, 1), []string{"Terminating pods answered 1 request with status 502 to 504: the container " +
				"that answered still ran, and its backend had ended: let the backend end last."}},
		{"the only pod may go first, and no sleep helps", func(o *evidence.UserApp) { o.PreStop, o.Replicas, o.Unavailable = 0, 1, 1 }, lag,
			[]model.Lane{failing(evidence.Fresh, 5)}, unserved(5, 3*time.Second),
			[]string{"Set maxUnavailable to 0, and maxSurge to 1 or more (a StatefulSet has no maxSurge: give it 2 replicas): the rollout may take " +
				"the only pod away before another is ready, and none was there for 3.00 s."}},
		{"the only pod may go first, and a drain took it", func(o *evidence.UserApp) { o.Replicas, o.Unavailable = 1, 1 }, lag,
			[]model.Lane{failing(evidence.Fresh, 5)}, timeline.Signs{timeline.NoneServing: {Count: 5, For: 3 * time.Second}}, nil},
		{"another hook, and how long nodes went on is not known", func(o *evidence.UserApp) { o.PreStop, o.OtherHook = 0, true },
			model.Numbers{}, nil,
			seen(timeline.RefusedByEnding, 9), []string{"Have the preStop hook sleep before it does anything else"}},
		{"the only pod may go first, and pods that ended lost requests too",
			func(o *evidence.UserApp) { o.PreStop, o.Replicas, o.Unavailable = 0, 1, 1 }, lag,
			[]model.Lane{failing(evidence.Fresh, 6)}, unserved(5, 3*time.Second),
			[]string{"Set maxUnavailable to 0", "Give the pods a preStop sleep"}},
		{"a Service that keeps clients at their pod", func(o *evidence.UserApp) { o.Affinity = true }, lag, nil,
			seen(timeline.RefusedByEnding, 7),
			[]string{"While a pod ends, all new connections of its clients fail"}},
		{"such a Service that lost nothing to a pod that ended", func(o *evidence.UserApp) { o.Affinity = true }, lag, nil, nil, nil},
		{"a new pod that waits for what an old one holds", func(*evidence.UserApp) {}, lag, nil, stuck(ports, message.LacksPort),
			[]string{"The rollout had not finished at the end, and waiting does not help while this holds: " +
				"FailedScheduling: 0/3 nodes are available: " +
				"3 node(s) didn't have free ports for the requested pod ports. An old pod may have to go first, for the new one needs a port of " +
				"the node: set maxSurge to 0 and maxUnavailable to 1."}},
		{"the only new pod, which waits for what the old one holds", func(o *evidence.UserApp) { o.Replicas = 1 }, lag, nil,
			stuck("FailedAttachVolume: Waiting for detach Volume is already exclusively attached to one node", message.LacksVolume),
			[]string{"The rollout had not finished at the end, and waiting does not help while this holds: " +
				"FailedAttachVolume: Waiting for detach Volume is " +
				"already exclusively attached to one node. An old pod may have to go first, for the new one needs the volume: set maxSurge to 0 " +
				"and maxUnavailable to 1, or with one pod the strategy Recreate; either is an outage."}},
		{"an old pod may go first already, so that this is not advised", func(o *evidence.UserApp) { o.Unavailable = 1 }, lag, nil,
			stuck(ports, message.LacksPort), []string{"The rollout had not finished at the end, and waiting does not help while this holds: " +
				"FailedScheduling: 0/3 nodes " +
				"are available: 3 node(s) didn't have free ports for the requested pod ports. (RC3013)"}},
		{"a new pod that fits no node", func(*evidence.UserApp) {}, lag, nil,
			stuck("FailedScheduling: 0/3 nodes are available: 3 node(s) had untolerated taint(s).", ""),
			[]string{"The rollout had not finished at the end, and waiting does not help while this holds: " +
				"FailedScheduling: 0/3 nodes are available: 3 " +
				"node(s) had untolerated taint(s). (RC3013)"}},
		{"a slow start that the liveness probe ends", func(*evidence.UserApp) {}, lag, nil, seen(timeline.KilledStarting, 3),
			[]string{"Give the pods a startup probe that lasts as long as they take to start: the liveness probe had containers restarted 3 times"}},
		{"a startup probe that had succeeded", func(o *evidence.UserApp) { o.Startup = true }, lag, nil, seen(timeline.KilledStarting, 3), nil},
		{"a startup probe that is too short", func(o *evidence.UserApp) { o.Startup = true }, lag, nil, seen(timeline.KilledByStartup, 1),
			[]string{"Give the startup probe more time"}},
		{"accepted connections that a hook of another kind may have dropped", func(o *evidence.UserApp) { o.PreStop, o.OtherHook = 0, true },
			lag, nil, seen(timeline.DroppedByEnding, 3), nil},
		{"accepted connections of an app whose sleep is long enough", func(*evidence.UserApp) {}, lag, nil, seen(timeline.DroppedByEnding, 1),
			[]string{"Terminating pods closed 1 new connection that they had accepted: on SIGTERM the app drops what it has not answered. Have it " +
				"answer those before it ends: the preStop sleep is long enough."}},
		{"accepted connections of an app, where no lag was measured", func(*evidence.UserApp) {}, model.Numbers{}, nil,
			seen(timeline.DroppedByEnding, 1),
			[]string{"Terminating pods closed 1 new connection that they had accepted: on SIGTERM the app drops what it has not answered. With a"}},
		{"no pod was there, although the rollout has to leave some", func(o *evidence.UserApp) { o.Replicas = 3 }, lag,
			[]model.Lane{failing(evidence.Fresh, 5)}, unserved(5, 3*time.Second), nil},
	} {
		own := good
		row.own(&own)
		got, _ := On(own, model.Scenario{Numbers: row.numbers, Lanes: row.lanes}, row.seen)
		if len(got) != len(row.want) {
			t.Errorf("%s: %q", row.sentence, got)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], row.want[i]) {
				t.Errorf("%s: %q, want %q", row.sentence, got[i], row.want[i])
			}
		}
	}
}

// If nothing was lost, the advice says by what margin, and does not ask for what the app does already.
func TestAdviceWhereNothingWasLost(t *testing.T) {
	lanes := []model.Lane{{Vantage: evidence.FromPod, Conn: evidence.Fresh, Requests: 900}}
	six := &model.Terminations{Count: 6, Pods: 3, ByNode: true, Upper: 39.304}
	three := &model.Terminations{Count: 6, Pods: 3, Upper: 63.160}
	lag := &model.Lags{P50: 300, Max: 1200}
	for _, row := range []struct {
		sentence string
		ends     *model.Terminations
		drains   *model.NeededDrains
		want     []string
	}{
		{"an app that serves on by itself", six, &model.NeededDrains{Terminations: 6, Max: 1200, MaxCovers: 60.696, Margin: new(1800.0)}, []string{
			"Nothing was lost in the ends of 3 pods (6 terminations, counted by node), so at most 39.3 % of such ends lose a request at " +
				"95 % confidence: each pod kept serving for 1.8 s or more after every node had stopped sending it requests. (RC3006)",
			"A preStop sleep of 1.2 s is enough for the 6 terminations that were seen. (RC3007)"}},
		{"enough terminations say more", six, &model.NeededDrains{Terminations: 66, Max: 1200, MaxCovers: 95.563, P95: new(1200.0)}, []string{
			"Nothing was lost in the ends of 3 pods (6 terminations, counted by node), so at most 39.3 % of such ends lose a request at " +
				"95 % confidence: pods kept serving while nodes still sent them requests, for up to 1.2 s after they had left the endpoints. (RC3006)",
			"A preStop sleep of 1.2 s covers 95 % of terminations at 95 % confidence. (RC3007)"}},
		{"a pod that ended too early was lucky", six, &model.NeededDrains{Terminations: 6, Max: 1200, MaxCovers: 60.696, Margin: new(-300.0)}, []string{
			"Give the pods a preStop sleep of 3s or more: nodes sent them requests for up to 1.2 s after they had left the endpoints. (RC3006)",
			"A preStop sleep of 1.2 s is enough for the 6 terminations that were seen. (RC3007)"}},
		{"where no rules were observed", three, nil, []string{
			"Nothing was lost in the ends of 3 pods, so at most 63.2 % of such ends lose a request at 95 % confidence: pods " +
				"kept serving while nodes still sent them requests, for up to 1.2 s after they had left the endpoints. (RC3006)"}},
	} {
		s := model.Scenario{Lanes: lanes, Terminations: row.ends, Numbers: model.Numbers{RuleLag: lag, NeededDrains: row.drains}}
		got, _ := On(evidence.UserApp{Probed: true, Grace: 30 * time.Second}, s, nil)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}

func seen(kind timeline.SignKind, n int) timeline.Signs { return timeline.Signs{kind: {Count: n}} }

// unserved has the signs of a rollout in which requests were sent while no pod could answer.
func unserved(n int, lasted time.Duration) timeline.Signs {
	return timeline.Signs{timeline.RolledOut: {Count: 1}, timeline.NoneServing: {Count: n, For: lasted}}
}

func stuck(text string, lacks evidence.Lack) timeline.Signs {
	return timeline.Signs{timeline.PodStuck: {Count: 1, Text: text, Lacks: lacks}}
}
