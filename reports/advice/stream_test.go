package advice

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/model"
)

// streaming has the requests of a cause be streams that had begun.
func streaming(took time.Duration, c timeline.Cause) timeline.Cause {
	for i := range c.Hits {
		c.Hits[i].Lane, c.Hits[i].FirstMicros, c.Hits[i].Took = "worker-stream", 1000, took
	}
	return c
}

// What cuts streams is the grace period or the program, and each needs another mend, as long as the longest stream.
func TestAdviceAboutStreams(t *testing.T) {
	const killed = timeline.ConditionKilled
	lanes := func(whole int, longest float64) []model.Lane {
		return []model.Lane{{ID: "worker-stream", Vantage: evidence.FromPod, Conn: evidence.Fresh, Protocol: "sse", Requests: whole + 10,
			Failures: map[evidence.Fault]int{evidence.Closed: 10}, FirstToken: &model.Latency{}, Latency: &model.Latency{Max: longest}}}
	}
	manifest := func() map[string]any {
		return map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web"}, "spec": map[string]any{
			"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "web"}},
				"terminationGracePeriodSeconds": int64(20)}}}}
	}
	for _, row := range []struct {
		sentence string
		own      func(*evidence.UserApp)
		lanes    []model.Lane
		causes   []timeline.Cause
		want     string
		patch    []string // lines that it has
	}{
		{"cut at the end of the grace period", nil, lanes(299, 24300),
			[]timeline.Cause{streaming(15*time.Second, lost(4, timeline.StageCut, killed))},
			"4 streams were cut when their pods were killed at the end of the grace period of 20s. Make terminationGracePeriodSeconds 30 or more: " +
				"the longest took 24.3 s, and at 95 % confidence at most 1.0 % take longer than the longest of 299 whole ones",
			[]string{"terminationGracePeriodSeconds: 30"}},
		{"cut by a program that exits", nil, lanes(299, 24300),
			[]timeline.Cause{streaming(15*time.Second, lost(1, timeline.StageCut, terminating))},
			"1 stream was cut when the programs of their pods exited after SIGTERM. Have the program await its streams after SIGTERM, or end each " +
				"between two tokens, with its end mark; or give the pods a preStop sleep of 28 s or more and a longer grace period: the longest took 24.3 s",
			[]string{"seconds: 28", "terminationGracePeriodSeconds: 58"}},
		{"both", nil, lanes(59, 24300), []timeline.Cause{streaming(15*time.Second, lost(3, timeline.StageCut, terminating)),
			streaming(15*time.Second, lost(2, timeline.StageCut, killed))},
			"3 streams were cut when the programs of their pods exited after SIGTERM, and 2 when these were killed at the end of the grace period. Have " +
				"the program await its streams after SIGTERM", []string{"seconds: 28", "terminationGracePeriodSeconds: 58"}},
		{"none was whole, so that nobody knows how long they take", nil, lanes(0, 0),
			[]timeline.Cause{streaming(15*time.Second, lost(10, timeline.StageCut, killed))},
			"10 streams were cut when their pods were killed at the end of the grace period of 20s. Make terminationGracePeriodSeconds 35 or more: " +
				"one took 15.0 s and was not whole", []string{"terminationGracePeriodSeconds: 35"}},
		{"a hook of another kind, which stays", func(o *evidence.UserApp) { o.OtherHook = true }, lanes(299, 24300),
			[]timeline.Cause{streaming(15*time.Second, lost(1, timeline.StageCut, terminating))},
			"1 stream was cut when the programs of their pods exited after SIGTERM", nil},
		{"a stream that a ready pod cut is no question of drains", nil, lanes(299, 24300),
			[]timeline.Cause{streaming(15*time.Second, lost(1, timeline.StageCut, ready))}, "", nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			own := evidence.UserApp{Watched: true, Probed: true, PreStop: 0, Grace: 20 * time.Second, Replicas: 3,
				Answers: "web", Workload: manifest()}
			if row.own != nil {
				row.own(&own)
			}
			s := model.Scenario{Lanes: row.lanes, Numbers: model.Numbers{RuleLag: &model.Lags{Max: 1200}}}
			given, patched := On(own, s, timeline.Signs{}, row.causes)
			var said []string
			for _, a := range given {
				said = append(said, a.String())
			}
			if got := strings.Join(said, "\n"); !strings.HasPrefix(got, row.want) || row.want == "" && got != "" || len(said) > 1 {
				t.Errorf("%s\nwant %s", got, row.want)
			}
			yaml := ""
			if patched != nil {
				yaml = patched.YAML
			}
			for _, line := range row.patch {
				if !strings.Contains(yaml, line) {
					t.Errorf("no %q in\n%s", line, yaml)
				}
			}
			if len(row.patch) == 0 && yaml != "" {
				t.Errorf("patched with\n%s", yaml)
			}
		})
	}
}

// Where a server never tells its clients to go, no manifest helps, and nothing of HTTP/1.1 does.
func TestAdviceAboutConnectionsThatAreNotTold(t *testing.T) {
	on := func(c timeline.Cause) timeline.Cause {
		for i := range c.Hits {
			c.Hits[i].Connection = 1
		}
		return kept(c)
	}
	own := evidence.UserApp{Watched: true, Probed: true, PreStop: 5 * time.Second, Grace: 30 * time.Second, Replicas: 3}
	for _, row := range []struct {
		sentence string
		untold   timeline.Sign
		want     []string
	}{
		{"HTTP/2", timeline.Sign{Count: 12, Text: "h2c"}, []string{
			"Pods that ended cut 12 connections of h2c with 7 requests in flight, and told no client to go: no manifest mends this, since the server " +
				"never says GOAWAY. Have the program say GOAWAY after SIGTERM, and serve on until its clients are gone, for 7 of the lost requests. (RC3042)"}},
		{"WebSockets", timeline.Sign{Count: 1, Text: "ws"}, []string{
			"Pods that ended cut 1 connection of ws with 7 requests in flight, and told no client to go: no manifest mends this, since the server " +
				"never says 1001. Have the program close each WebSocket with 1001 after SIGTERM, and serve on until its clients are gone, for 7 of the " +
				"lost requests. (RC3042)"}},
		{"HTTP/1.1", timeline.Sign{}, []string{
			"Terminating pods closed kept connections in the middle of 7 requests. Have the app answer with Connection: close from SIGTERM on, and go on " +
				"serving for a while, for 7 of the lost requests. (RC3011)"}},
	} {
		given, _ := On(own, model.Scenario{}, timeline.Signs{timeline.NeverTold: row.untold},
			[]timeline.Cause{on(lost(7, timeline.StageDropped, terminating))})
		var said []string
		for _, a := range given {
			said = append(said, a.String())
		}
		if diff := cmp.Diff(row.want, said); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}
