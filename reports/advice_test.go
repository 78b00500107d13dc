package reports

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/evidence"
	"rollcall/reports/model"
)

func TestAdvice(t *testing.T) {
	good := evidence.UserApp{Probed: true, PreStop: 5 * time.Second, Grace: 30 * time.Second}
	lag := model.Numbers{RuleLag: &model.Lags{P50: 300, Max: 1200}}
	failing := func(conn evidence.Conn, n int) model.Lane {
		return model.Lane{Vantage: evidence.FromPod, Conn: conn, Failures: map[evidence.Fault]int{evidence.Reset: n}}
	}
	for _, row := range []struct {
		sentence string
		own      func(*evidence.UserApp)
		numbers  model.Numbers
		lanes    []model.Lane
		want     []string // begins
	}{
		{"there is nothing to say", func(*evidence.UserApp) {}, lag, nil, nil},
		{"no sleep", func(o *evidence.UserApp) { o.PreStop = 0 }, lag, nil,
			[]string{"Give the pods a preStop sleep of 3s or more: nodes sent them requests for up to 1.2 s"}},
		{"no sleep, and nothing was measured that asks for one", func(o *evidence.UserApp) { o.PreStop = 0 }, model.Numbers{}, nil, nil},
		{"another hook, whose length nobody knows", func(o *evidence.UserApp) { o.PreStop, o.OtherHook = 0, true }, lag, nil, nil},
		{"a sleep that is too short", func(o *evidence.UserApp) { o.PreStop = 2 * time.Second }, lag, nil,
			[]string{"Make the preStop sleep of 2s at least 3s"}},
		{"a grace that is as long as the sleep", func(o *evidence.UserApp) { o.Grace = o.PreStop }, lag, nil,
			[]string{"Make terminationGracePeriodSeconds, 5s, longer than the preStop sleep of 5s"}},
		{"no readiness probe", func(o *evidence.UserApp) { o.Probed = false }, lag, nil, []string{"Give the pods a readiness probe"}},
		{"replicas under an autoscaler", func(o *evidence.UserApp) { o.Autoscaled, o.Replicas = "shop", 3 }, lag, nil,
			[]string{"Leave replicas out of the manifest: the autoscaler shop sets them, and every apply sets them back to 3."}},
		{"an autoscaler alone", func(o *evidence.UserApp) { o.Autoscaled = "shop" }, lag, nil, nil},
		{"Recreate", func(o *evidence.UserApp) { o.Recreate = true }, lag, nil, []string{"Recreate ends every old pod"}},
		{"only keep-alive connections broke", func(*evidence.UserApp) {}, lag, []model.Lane{failing(evidence.Fresh, 0), failing(evidence.Reused, 7)},
			[]string{"Have the app answer with Connection: close"}},
		{"new ones too, which a sleep is for", func(*evidence.UserApp) {}, lag,
			[]model.Lane{failing(evidence.Fresh, 1), failing(evidence.Reused, 7)}, nil},
	} {
		own := good
		row.own(&own)
		got := adviceOn(own, model.Scenario{Numbers: row.numbers, Lanes: row.lanes})
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

// Where nothing was lost the owner is told by how much, and not to add what the app does itself.
func TestAdviceWhereNothingWasLost(t *testing.T) {
	lanes := []model.Lane{{Vantage: evidence.FromPod, Conn: evidence.Fresh, Requests: 900}}
	six := &model.Terminations{Count: 6, Upper: 39.304}
	lag := &model.Lags{P50: 300, Max: 1200}
	for _, row := range []struct {
		sentence string
		drains   *model.NeededDrains
		want     []string
	}{
		{"an app that serves on by itself", &model.NeededDrains{Terminations: 6, Max: 1200, MaxCovers: 60.696, Margin: new(1800.0)}, []string{
			"Nothing was lost in 6 terminations, so at most 39.3 % of them lose a request at 95 % confidence: each pod " +
				"served on for 1.8 s or more after every node had stopped sending it requests.",
			"A drain of 1.2 s was enough for 6 terminations, which shows that it covers 61 % of them at 95 % confidence."}},
		{"enough terminations say more", &model.NeededDrains{Terminations: 66, Max: 1200, MaxCovers: 95.563, P95: new(1200.0)}, []string{
			"Nothing was lost in 6 terminations, so at most 39.3 % of them lose a request at 95 % confidence: pods " +
				"served on though nodes sent them requests for up to 1.2 s after they had left the endpoints.",
			"A drain of 1.2 s covers 95 % of terminations at 95 % confidence."}},
		{"one that ended too early was lucky", &model.NeededDrains{Terminations: 6, Max: 1200, MaxCovers: 60.696, Margin: new(-300.0)}, []string{
			"Give the pods a preStop sleep of 3s or more: nodes sent them requests for up to 1.2 s after they had left the endpoints.",
			"A drain of 1.2 s was enough for 6 terminations, which shows that it covers 61 % of them at 95 % confidence."}},
		{"where no rules were observed", nil, []string{
			"Nothing was lost in 6 terminations, so at most 39.3 % of them lose a request at 95 % confidence: pods " +
				"served on though nodes sent them requests for up to 1.2 s after they had left the endpoints."}},
	} {
		s := model.Scenario{Lanes: lanes, Terminations: six, Numbers: model.Numbers{RuleLag: lag, NeededDrains: row.drains}}
		got := adviceOn(evidence.UserApp{Probed: true, Grace: 30 * time.Second}, s)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}
