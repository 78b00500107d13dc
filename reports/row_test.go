package reports

import (
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/reports/model"
)

// What fails on control lanes was not asked of the Service.
func TestRowOfControlLanes(t *testing.T) {
	lane := func(from evidence.Vantage, outage float64, refused int) model.Lane {
		return model.Lane{Vantage: from, Conn: evidence.Fresh, Requests: 100, LongestOutage: outage,
			ByVersion: map[string]int{"v1": 100 - refused}, Failures: map[evidence.Fault]int{evidence.Refused: refused}}
	}
	for _, r := range []struct {
		sentence       string
		control        int
		failed, outage string
	}{
		{"none failed", 0, "1 (1 refused)", "0.020s"},
		{"some did", 7, "1 (1 refused), control 7", "0.020s"},
	} {
		got := newRow(model.Scenario{Lanes: []model.Lane{lane(evidence.FromPod, 20, 1), lane(evidence.FromControl, 3000, r.control)}})
		if got[3] != r.failed || got[5] != r.outage {
			t.Errorf("%s: failed %q, longest outage %q; want %q, %q", r.sentence, got[3], got[5], r.failed, r.outage)
		}
	}
}

func TestRowNamesKindsOfFailuresWhereThereIsRoom(t *testing.T) {
	for want, failures := range map[string]map[evidence.Fault]int{
		"0":                        {},
		"3 (2 refused, 1 timeout)": {evidence.Refused: 2, evidence.Timeout: 1},
		"78":                       {evidence.Refused: 36, evidence.Reset: 4, evidence.Closed: 1, evidence.Timeout: 37},
	} {
		failed := 0
		for _, n := range failures {
			failed += n
		}
		if got := kinds(failed, failures); got != want {
			t.Errorf("%v is %q, want %q", failures, got, want)
		}
	}
}
