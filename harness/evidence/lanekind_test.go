package evidence_test

import (
	"testing"

	"example.com/rollcall/harness/evidence"
)

// The rules that count a kind's requests decide verdicts, so each kind is written out here.
func TestLaneKind(t *testing.T) {
	type counts struct {
		method                                                  string
		keepsAlive, control, app, retries, damage, followsRules bool
	}
	want := map[string]counts{
		"worker-fresh":       {method: "GET", app: true, retries: true, damage: true, followsRules: true},
		"worker-reused":      {method: "POST", keepsAlive: true, app: true, retries: true, damage: true},
		"worker-plain":       {method: "GET", keepsAlive: true, app: true},
		"worker-named":       {method: "GET", app: true, retries: true, damage: true, followsRules: true},
		"worker-stream":      {method: "GET", app: true, retries: true, damage: true, followsRules: true},
		"worker-h2c":         {method: "POST", keepsAlive: true, app: true, retries: true, damage: true},
		"worker-h2":          {method: "POST", keepsAlive: true, app: true, retries: true, damage: true},
		"worker-websocket":   {method: "POST", keepsAlive: true, app: true, retries: true, damage: true},
		"worker-grpc":        {method: "POST", keepsAlive: true, app: true, retries: true, damage: true},
		"worker-grpc-stream": {method: "POST", keepsAlive: true, app: true, retries: true, damage: true},
		"worker-control":     {method: "GET", control: true},
		"outside-fresh":      {method: "GET", app: true, retries: true},
		"outside-reused":     {method: "POST", keepsAlive: true, app: true, retries: true},
	}
	for _, k := range evidence.LaneKinds() {
		place := "worker"
		if k.Vantage == evidence.FromHost {
			place = "outside"
		}
		lane := k.Lane(place)
		if read := lane.Kind(); read != k {
			t.Errorf("the kind of lane %s is %+v, want %+v", lane.ID, read, k)
		}
		got := counts{k.Method(), k.KeepsAlive(), k.IsControl(), k.RequestsApp(), k.ShowsRetries(), k.ShowsDamage(), k.FollowsRules()}
		if got != want[lane.ID] {
			t.Errorf("%s counts for %+v, want %+v", lane.ID, got, want[lane.ID])
		}
		delete(want, lane.ID)
	}
	if len(want) > 0 {
		t.Errorf("there are no kinds for %v", want)
	}
}

// Requests of steps are not load: no rule about load may count them.
func TestLaneKindOfSteps(t *testing.T) {
	for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
		k := evidence.Lane{Vantage: evidence.FromHost, Conn: conn, Steps: true}.Kind()
		if !k.Steps || k.Name != "" || k.RequestsApp() || k.IsControl() || k.ShowsRetries() || k.ShowsDamage() || k.FollowsRules() {
			t.Errorf("%+v", k)
		}
	}
}

// A recording may have lanes of an unknown kind; they count by their fields.
func TestLaneKindUnknown(t *testing.T) {
	k := evidence.Lane{Vantage: evidence.FromHost, Conn: evidence.Reused, Named: true}.Kind()
	if k.Name != "" || !k.RequestsApp() || !k.KeepsAlive() || k.FollowsRules() || k.ShowsDamage() {
		t.Errorf("%+v", k)
	}
}
