package evidence_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

func TestBeyond(t *testing.T) {
	for _, row := range []struct {
		sentence string
		length   evidence.Length
		d        time.Duration
		want     float64
	}{
		{"a reply of 8 s takes longer than 7.9 s", "fixed:8s", 7900 * time.Millisecond, 1},
		{"and not longer than 8 s", evidence.Fixed(8 * time.Second), 8 * time.Second, 0},
		{"of those from 1 s to 11 s, none is shorter than 1 s", "uniform:1s:11s", time.Second, 1},
		{"three of ten are longer than 8 s", "uniform:1s:11s", 8 * time.Second, .3},
		{"none is longer than 11 s", "uniform:1s:11s", 12 * time.Second, 0},
		{"1/e of those with a mean of 5 s are longer than that", "exponential:5s", 5 * time.Second, 1 / math.E},
		{"a reply takes longer than a time before it began", "exponential:5s", -time.Second, 1},
		{"what is no distribution has none", "normal:5s", 0, 0},
	} {
		if got := row.length.Beyond(row.d); math.Abs(got-row.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", row.sentence, got, row.want)
		}
	}
}

func TestLengthsThatAreNone(t *testing.T) {
	for _, text := range []evidence.Length{"", "fixed", "fixed:8", "fixed:-1s", "fixed:1s:2s", "uniform:2s:1s", "uniform:2s",
		"exponential:0s", "8s"} {
		if text.Check() == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// The longer, the less likely.
func TestBeyondFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := rapid.SampledFrom([]evidence.Length{"fixed:8s", "uniform:1s:11s", "exponential:5s"}).Draw(t, "length")
		d := rapid.Int64Range(0, int64(time.Minute)).Draw(t, "d")
		if a, b := l.Beyond(time.Duration(d)), l.Beyond(time.Duration(d)+time.Second); a < b || a > 1 || b < 0 {
			t.Errorf("%v, then %v", a, b)
		}
	})
}
