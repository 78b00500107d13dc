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

// lost returns a cause of n requests on new connections since the rollout.
func lost(n int, stage timeline.Stage, condition timeline.PodCondition) timeline.Cause {
	return timeline.Cause{Stage: stage, Condition: condition, Trigger: timeline.TriggerRollout, Pods: []string{"web-1", "web-2"},
		Since: timeline.Change{Trigger: timeline.TriggerRollout, What: "the rollout"}, Hits: make([]timeline.Hit, n)}
}

// since returns the cause with another trigger.
func since(trigger timeline.Trigger, what string, c timeline.Cause) timeline.Cause {
	c.Trigger, c.Since = trigger, timeline.Change{Trigger: trigger, What: what}
	return c
}

// kept returns the cause on keep-alive connections.
func kept(c timeline.Cause) timeline.Cause {
	for i := range c.Hits {
		c.Hits[i].Reused = true
	}
	return c
}

func withStatus(status int16, c timeline.Cause) timeline.Cause {
	for i := range c.Hits {
		c.Hits[i].Fault, c.Hits[i].Status = evidence.BadStatus, status
	}
	return c
}

func recovered(c timeline.Cause) timeline.Cause {
	c.Recovered = true
	return c
}

const (
	terminating = timeline.ConditionTerminating
	ready       = timeline.ConditionReady
	notAble     = timeline.ConditionNotAble
	noPod       = timeline.ConditionNone
)

// fewer has the requests of a cause lost while few pods were left.
func fewer(ready, before int, c timeline.Cause) timeline.Cause {
	c.Ready, c.Before = ready, before
	return c
}

// sentAt has the requests of a cause sent later.
func sentAt(at time.Duration, c timeline.Cause) timeline.Cause {
	for i := range c.Hits {
		c.Hits[i].Sent += at
	}
	return c
}

func TestAdvice(t *testing.T) {
	const ports = "FailedScheduling: 0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports. preemption: 0/3"
	good := evidence.UserApp{Watched: true, Probed: true, PreStop: 5 * time.Second, Grace: 30 * time.Second, Replicas: 3}
	lag := model.Numbers{RuleLag: &model.Lags{P50: 300, Max: 1200}}
	same := func(*evidence.UserApp) {}
	undrained := func(o *evidence.UserApp) { o.PreStop = 0 }
	otherHook := func(o *evidence.UserApp) { o.PreStop, o.OtherHook = 0, true }
	stale, none := lost(9, timeline.StageStaleEndpoint, terminating), lost(5, timeline.StageNoEndpoint, noPod)
	drained := since(timeline.TriggerDrain, "the drain of worker", none)
	gap := timeline.Signs{timeline.NoneServing: {For: 3 * time.Second}, timeline.SlowestStart: {For: 5 * time.Second}}
	for _, row := range []struct {
		sentence string
		own      func(*evidence.UserApp)
		numbers  model.Numbers
		causes   []timeline.Cause
		seen     timeline.Signs
		want     []string // how each advice begins
	}{
		{"there is nothing to say", same, lag, nil, nil, nil},
		{"no sleep", undrained, lag, []timeline.Cause{stale}, nil,
			[]string{"Nodes sent pods requests for up to 1.2 s after they had left the endpoints. Give the pods a preStop sleep of 3s or more, for " +
				"9 of the lost requests. (RC3006)"}},
		{"no sleep, and nothing was measured that asks for one", undrained, model.Numbers{}, []timeline.Cause{stale}, nil, nil},
		{"no sleep, and only what is not due to that was lost", undrained, lag, []timeline.Cause{lost(9, timeline.StageStatus, ready)}, nil, nil},
		{"another hook, whose length nobody knows", otherHook, lag, nil, nil, nil},
		{"a sleep that is too short", func(o *evidence.UserApp) { o.PreStop = 2 * time.Second }, lag, []timeline.Cause{stale}, nil,
			[]string{"Nodes sent pods requests for up to 1.2 s after they had left the endpoints. Make the preStop sleep of 2s at least 3s"}},
		{"a sleep that is long enough: nodes sent to its end because no endpoint was ready", same,
			model.Numbers{RuleLag: &model.Lags{Max: 5900}, NeededDrain: map[string]float64{"n1": 8, "n2": 1200}}, []timeline.Cause{stale}, nil, nil},
		{"a grace that is as long as the sleep", func(o *evidence.UserApp) { o.Grace = o.PreStop }, lag, nil, nil,
			[]string{"The app is killed as soon as its preStop sleep is over. Make terminationGracePeriodSeconds, 5s, longer than the preStop sleep of 5s"}},
		{"no readiness probe, and nothing was lost", func(o *evidence.UserApp) { o.Probed = false }, lag, nil, nil,
			[]string{"Without a readiness probe, pods are sent requests as soon as their container runs. Give the pods a readiness probe. (RC3003)"}},
		{"no readiness probe, and only terminating pods lost requests", func(o *evidence.UserApp) { o.Probed, o.PreStop = false, 0 }, lag,
			[]timeline.Cause{stale}, nil, []string{"Nodes sent pods"}},
		{"no readiness probe, and starting pods lost requests", func(o *evidence.UserApp) { o.Probed = false }, lag,
			[]timeline.Cause{lost(4, timeline.StageNotListening, notAble)}, nil, []string{"Without a readiness probe", "4 requests reached ready"}},
		{"replicas under an autoscaler", func(o *evidence.UserApp) { o.Autoscaled = "shop" }, lag, nil, nil,
			[]string{"The autoscaler shop sets the replicas, and every apply sets them back to 3. Leave replicas out of the manifest. (RC3009)"}},
		{"an autoscaler alone", func(o *evidence.UserApp) { o.Autoscaled, o.Replicas = "shop", 0 }, lag, nil, nil, nil},
		{"Recreate", func(o *evidence.UserApp) { o.Recreate = true }, lag, []timeline.Cause{none}, nil,
			[]string{"The strategy Recreate ends every old pod"}},
		{"only keep-alive connections broke", same, lag, []timeline.Cause{kept(lost(7, timeline.StageDropped, terminating))}, nil,
			[]string{"Terminating pods closed kept connections in the middle of 7 requests. Have the app answer with Connection: close"}},
		{"a hook that failed: no sleep helps", otherHook, lag, []timeline.Cause{stale}, timeline.Signs{timeline.HookFailed: {Count: 3}},
			[]string{"The preStop hook failed 3 times, so its pods got SIGTERM at once. Use the kubelet's own sleep"}},
		{"a hook that the grace period cut: no sleep helps", otherHook, lag, []timeline.Cause{stale}, timeline.Signs{timeline.HookCutOff: {Count: 3}},
			[]string{"3 preStop hooks still ran when the grace period was over, and the app is killed 2s later. Make " +
				"terminationGracePeriodSeconds, 30s, longer than the preStop hook and what the last requests take"}},
		{"a hook that stops the app from listening", otherHook, lag, []timeline.Cause{stale}, nil,
			[]string{"Terminating pods refused 9 connections that nodes still sent them, so the hook is too short, or stops the app from listening. " +
				"Have the preStop hook sleep for 3s before it does anything else"}},
		{"another hook, and nobody was refused", otherHook, lag, []timeline.Cause{lost(1, timeline.StageTimeout, ready)}, nil, nil},
		{"a front container that outlives what it asks", func(o *evidence.UserApp) { o.Unhooked = []string{"php"} }, lag,
			[]timeline.Cause{lost(12, timeline.StageBehind, terminating)}, nil,
			[]string{"Terminating pods answered 12 requests with the status of a proxy: the container that answered still ran, and its backend had " +
				"ended. Give container php the same preStop hook, for 12 of the lost requests. (RC3004)"}},
		{"a front container, and no container has a hook", same, lag, []timeline.Cause{lost(1, timeline.StageBehind, terminating)}, nil,
			[]string{"Terminating pods answered 1 request with the status of a proxy: the container that answered still ran, and its backend had " +
				"ended. Let the backend end last"}},
		{"the only pod may go first, and no sleep helps", func(o *evidence.UserApp) { o.PreStop, o.Replicas, o.Unavailable = 0, 1, 1 }, lag,
			[]timeline.Cause{none}, gap, []string{"The rollout may take the only pod away before another is ready, and none was there for 3.00 s. Set " +
				"maxUnavailable to 0, and maxSurge to 1 or more (a StatefulSet has no maxSurge: give it 2 replicas)"}},
		{"a drain took the only pod", func(o *evidence.UserApp) { o.Replicas = 1 }, lag, []timeline.Cause{drained}, gap,
			[]string{"The only pod was taken away by the drain of worker, and none was there for 3.00 s, since another takes 5.00 s to start. Have a " +
				"preStop hook of 10 s, longer than the start, or 2 replicas, or restart it elsewhere before a drain, for 5 of the lost requests."}},
		{"the only pod was deleted, and another took its place without a start", func(o *evidence.UserApp) { o.Replicas = 1 }, lag,
			[]timeline.Cause{since(timeline.TriggerDeletion, "the deletion of pod web-0", none)},
			timeline.Signs{timeline.NoneServing: {For: 3 * time.Second}},
			[]string{"The only pod behind the Service was taken away by the deletion of pod web-0, and none was there for 3.00 s. Lead clients to"}},
		{"the only pod of several that the Service selected was deleted", func(o *evidence.UserApp) { o.Selected = 1 }, lag,
			[]timeline.Cause{since(timeline.TriggerDeletion, "the deletion of pod web-0", none)}, gap,
			[]string{"The only pod behind the Service was taken away by the deletion of pod web-0, and none was there for 3.00 s. Lead clients to"}},
		{"another hook, and how long nodes went on is not known", otherHook, model.Numbers{}, []timeline.Cause{stale}, nil,
			[]string{"Terminating pods refused 9 connections that nodes still sent them, so the hook is too short, or stops the app from listening. " +
				"Have the preStop hook sleep before it does anything else"}},
		{"the only pod may go first, and pods that ended lost requests too",
			func(o *evidence.UserApp) { o.PreStop, o.Replicas, o.Unavailable = 0, 1, 1 }, lag, []timeline.Cause{stale, none}, gap,
			[]string{"The rollout may take the only pod away", "Nodes sent pods requests"}},
		{"a Service that keeps clients at their pod", func(o *evidence.UserApp) { o.Affinity = true }, lag, []timeline.Cause{stale}, nil,
			[]string{"While a pod ends, all new connections of its clients fail"}},
		{"such a Service that lost nothing to a pod that ended", func(o *evidence.UserApp) { o.Affinity = true }, lag, nil, nil, nil},
		{"a new pod that waits for what an old one holds", same, lag, nil, stuck(ports, message.LacksPort),
			[]string{"The rollout had not finished at the end, and waiting does not help while this holds: FailedScheduling: 0/3 nodes are available: " +
				"3 node(s) didn't have free ports for the requested pod ports. Have an old pod go first, for the new one needs a port of the " +
				"node: set maxSurge to 0 and maxUnavailable to 1. (RC3013)"}},
		{"the only new pod, which waits for what the old one holds", func(o *evidence.UserApp) { o.Replicas = 1 }, lag, nil,
			stuck("FailedAttachVolume: Waiting for detach Volume is already exclusively attached to one node", message.LacksVolume),
			[]string{"The rollout had not finished at the end, and waiting does not help while this holds: FailedAttachVolume: Waiting for detach " +
				"Volume is already exclusively attached to one node. Have an old pod go first, for the new one needs the volume: set maxSurge to 0 " +
				"and maxUnavailable to 1, or with one pod the strategy Recreate; either is an outage."}},
		{"an old pod may go first already, so that this is not advised", func(o *evidence.UserApp) { o.Unavailable = 1 }, lag, nil,
			stuck(ports, message.LacksPort), []string{"The rollout had not finished at the end, and waiting does not help while this holds: " +
				"FailedScheduling: 0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports. Remove what stands"}},
		{"a slow start that the liveness probe ends", same, lag, nil, seen(timeline.KilledStarting, 3),
			[]string{"The liveness probe had containers restarted 3 times before their pods were ready. Give the pods a startup probe"}},
		{"a startup probe that had succeeded", func(o *evidence.UserApp) { o.Startup = true }, lag, nil, seen(timeline.KilledStarting, 3), nil},
		{"a startup probe that is too short", func(o *evidence.UserApp) { o.Startup = true }, lag, nil, seen(timeline.KilledByStartup, 1),
			[]string{"The startup probe had containers restarted 1 time. Give the startup probe more time"}},
		{"accepted connections that a hook of another kind may have dropped", otherHook, lag,
			[]timeline.Cause{lost(3, timeline.StageDropped, terminating)}, nil, nil},
		{"accepted connections of an app whose sleep is long enough", same, lag,
			[]timeline.Cause{lost(1, timeline.StageDropped, terminating)}, nil,
			[]string{"Terminating pods closed 1 new connection that they had accepted: on SIGTERM the app drops what it has not answered. Have the app " +
				"answer those before it ends: the preStop sleep is long enough"}},
		{"no pod was there, although the rollout has to leave some", same, lag, []timeline.Cause{none}, gap, nil},
		{"new pods that are ready before they can answer", same, lag,
			[]timeline.Cause{recovered(withStatus(404, lost(8, timeline.StageStatus, notAble)))}, nil,
			[]string{"8 requests got status 404 from ready pods that had not answered well yet, which answered well later. Have the readiness probe " +
				"request what clients request, for 8 of the lost requests. (RC3023)"}},
		{"a new version that answers nothing well", same, lag, []timeline.Cause{withStatus(500, lost(8, timeline.StageStatus, notAble))}, nil,
			[]string{"8 requests got status 500 from ready pods that had not answered well yet, and none of these answered any well. Roll back"}},
		{"a Service that publishes pods that are not ready: a sleep does not help",
			func(o *evidence.UserApp) { o.PublishesUnready, o.PreStop = true, 0 }, lag,
			[]timeline.Cause{lost(3, timeline.StageNotListening, terminating), lost(2, timeline.StageNotListening, timeline.ConditionStarting)}, nil,
			[]string{"The Service has publishNotReadyAddresses, so that 5 requests went to pods before they listened or after their end. Leave"}},
		{"a Job's pod behind the Service", same, lag, []timeline.Cause{since(timeline.TriggerOtherStarted, "pod m-1 of Job/m",
			lost(6, timeline.StageNotListening, timeline.ConditionOther))}, nil,
			[]string{"The Service's selector also matches pod m-1 of Job/m, which lost 6"}},
		{"losses at one pace", same, lag, []timeline.Cause{since(timeline.TriggerNothing, "", lost(6, timeline.StageDropped, ready))}, nil,
			[]string{"6 requests were lost at one pace before, during and after what was done: that is not the cause. Look at the app itself"}},
		{"one pod of 12 is left, and is too busy", same, lag, []timeline.Cause{fewer(1, 12, withStatus(503, lost(9, timeline.StageStatus, ready)))}, nil,
			[]string{"9 requests got status 503 from ready pods, when 1 of 12 pods were left. Let no pods be away at once"}},
		{"kube-proxy was restarted in another mode, and wrote its rules", same, lag, []timeline.Cause{recovered(since(timeline.TriggerProxy,
			"worker: kube-proxy ends", lost(4, timeline.StageRoute, noPod)))}, nil,
			[]string{"4 requests did not reach a pod over the network, since worker: kube-proxy ends. Change kube-proxy's mode node by node"}},
		{"what the app requests through it does not come back", same, lag, []timeline.Cause{since(timeline.TriggerProxy,
			"worker: kube-proxy ends", lost(4, timeline.StageBehind, ready))}, nil,
			[]string{"4 requests got status 0 from ready pods, for something that these need, since worker: kube-proxy ends. Have the app request " +
				"Services by name"}},
		{"CoreDNS was restarted, and the first query was lost when nodes had long left the old pod out", same, lag, []timeline.Cause{sentAt(6*time.Second,
			since(timeline.TriggerDNS, "worker: coredns ends", withStatus(502, lost(6, timeline.StageBehind, ready))))}, nil,
			[]string{"6 requests got status 502 from ready pods, for something that these need, since worker: coredns ends. Have the pods ask again"}},
		{"CoreDNS was restarted", same, lag, []timeline.Cause{since(timeline.TriggerDNS, "worker: coredns ends",
			withStatus(502, lost(6, timeline.StageBehind, ready)))}, nil,
			[]string{"6 requests got status 502 from ready pods, for something that these need, since worker: coredns ends. Give CoreDNS a lameduck"}},
		{"the Service's port was changed", same, lag, []timeline.Cause{since(timeline.TriggerService, "Service web: targetPort 80 to 90",
			lost(6, timeline.StageNotListening, ready))}, nil,
			[]string{"6 requests reached ready pods, where nothing listened, since Service web: targetPort 80 to 90. Name the port of the container"}},
		{"an app that was killed at the end of its grace, and nothing was lost", same, lag, nil,
			timeline.Signs{timeline.KilledAtGrace: {Count: 3, For: 20 * time.Second, Text: "web"}},
			[]string{"Container web of 3 pods was killed at the end of the grace period, 20.0 s after the deletion (exit code 137)"}},
	} {
		own := good
		row.own(&own)
		got, _ := On(own, model.Scenario{Numbers: row.numbers, Lanes: lanesOf(row.causes)}, row.seen, row.causes)
		if len(got) != len(row.want) {
			t.Errorf("%s: %q", row.sentence, got)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i].String(), row.want[i]) {
				t.Errorf("%s:\n%s\nwant\n%s", row.sentence, got[i], row.want[i])
			}
		}
	}
}

// lanesOf returns a lane that lost the requests of some causes.
func lanesOf(causes []timeline.Cause) []model.Lane {
	lane := model.Lane{Vantage: evidence.FromPod, Conn: evidence.Fresh, Failures: map[evidence.Fault]int{}}
	for _, c := range causes {
		lane.Failures[evidence.Reset] += len(c.Hits)
	}
	return []model.Lane{lane}
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
				"95 % confidence: each pod kept serving for 1.8 s or more after every node had stopped sending it requests. Nothing has to be " +
				"changed. (RC3006)",
			"Nodes sent requests to terminating pods for up to 1.2 s, in 6 terminations. A preStop sleep of 1.2 s is enough for the 6 terminations " +
				"that were seen. (RC3007)"}},
		{"enough terminations say more", six, &model.NeededDrains{Terminations: 66, Max: 1200, MaxCovers: 95.563, P95: new(1200.0)}, []string{
			"Nothing was lost in the ends of 3 pods (6 terminations, counted by node), so at most 39.3 % of such ends lose a request at " +
				"95 % confidence: pods kept serving while nodes still sent them requests, for up to 1.2 s after they had left the endpoints. " +
				"Nothing has to be changed. (RC3006)",
			"Nodes sent requests to terminating pods for up to 1.2 s, in 66 terminations. A preStop sleep of 1.2 s covers 95 % of terminations at " +
				"95 % confidence. (RC3007)"}},
		{"a pod that ended too early was lucky", six, &model.NeededDrains{Terminations: 6, Max: 1200, MaxCovers: 60.696, Margin: new(-300.0)}, []string{
			"Nodes sent pods requests for up to 1.2 s after they had left the endpoints. Give the pods a preStop sleep of 3s or more. (RC3006)",
			"Nodes sent requests to terminating pods for up to 1.2 s, in 6 terminations. A preStop sleep of 1.2 s is enough for the 6 terminations " +
				"that were seen. (RC3007)"}},
		{"where no rules were observed", three, nil, []string{
			"Nothing was lost in the ends of 3 pods, so at most 63.2 % of such ends lose a request at 95 % confidence: pods " +
				"kept serving while nodes still sent them requests, for up to 1.2 s after they had left the endpoints. Nothing has to be changed. (RC3006)"}},
	} {
		s := model.Scenario{Lanes: lanes, Terminations: row.ends, Numbers: model.Numbers{RuleLag: lag, NeededDrains: row.drains}}
		given, _ := On(evidence.UserApp{Probed: true, Grace: 30 * time.Second}, s, nil, nil)
		var got []string
		for _, a := range given {
			got = append(got, a.String())
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}

func seen(kind timeline.SignKind, n int) timeline.Signs { return timeline.Signs{kind: {Count: n}} }

func stuck(text string, lacks evidence.Lack) timeline.Signs {
	return timeline.Signs{timeline.PodStuck: {Count: 1, Text: text, Lacks: lacks}}
}
