package userapp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict"
)

func TestWhatClientsMayLose(t *testing.T) {
	for _, row := range []struct {
		sentence string
		budget   userapp.Budget
		want     []evidence.Expectation
		says     string
	}{
		{sentence: "nothing may be lost by default", want: []evidence.Expectation{verdict.NoFailures()}},
		{sentence: "an outage and a share", budget: userapp.Budget{MaxOutage: "5s", MaxFailed: "0.1%"}, want: []evidence.Expectation{
			verdict.MaxOutage(5 * time.Second), verdict.ReplyGap(0, 5*time.Second), verdict.MaxFailedShare(1)}},
		{sentence: "late replies, and no loss", budget: userapp.Budget{P99: "300ms"}, want: []evidence.Expectation{verdict.NoFailures(),
			verdict.MaxP99(300 * time.Millisecond)}},
		{sentence: "an invalid latency", budget: userapp.Budget{P99: "fast"}, says: "--max-latency=p99=fast: it is not a duration"},
		{sentence: "an invalid outage", budget: userapp.Budget{MaxOutage: "5"}, says: "--max-outage=5: it is not a duration"},
		{sentence: "an invalid share", budget: userapp.Budget{MaxFailed: "101%"}, says: "--max-failed=101%: it is not a share of 0.1% to 100%"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			losses, err := row.budget.Read()
			if (err != nil) != (row.says != "") || err != nil && !strings.HasPrefix(err.Error(), row.says) {
				t.Fatalf("%v, want %q", err, row.says)
			}
			if diff := cmp.Diff(row.want, losses.Expectations()); diff != "" && err == nil {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
