package phrase_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

func TestPhrases(t *testing.T) {
	long := strings.Repeat("pod ", 40)
	for _, row := range []struct{ sentence, got, want string }{
		{"a number has a comma before each group of three digits", phrase.Number(1234567), "1,234,567"},
		{"a number of three digits has none", phrase.Number(999), "999"},
		{"a negative number keeps its sign", phrase.Number(-1000), "-1,000"},
		{"one thing", phrase.Count(1, "reply"), "1 reply"},
		{"many things", phrase.Count(5188, "reply"), "5,188 replies"},
		{"no thing", phrase.Count(0, "lane"), "0 lanes"},
		{"failures by kind, known kinds first",
			phrase.Faults(map[evidence.Fault]int{"odd": 1, evidence.Timeout: 2, evidence.Refused: 3, evidence.Reset: 0}),
			"3 refused, 2 timeout, 1 odd"},
		{"a time to the millisecond", phrase.Seconds(41203 * time.Millisecond), "41.203 s"},
		{"an uncertainty is rounded up", phrase.Elapsed(timeline.Elapsed{Length: time.Second, Uncertainty: 1200 * time.Microsecond}),
			"1.000 s ± 0.002 s"},
		{"no uncertainty is not written", phrase.Elapsed(timeline.Elapsed{Length: time.Second}), "1.000 s"},
		{"milliseconds under a second", phrase.Duration(45 * time.Millisecond), "45 ms"},
		{"nearly a second is one", phrase.Duration(time.Second - time.Microsecond), "1.00 s"},
		{"seconds", phrase.Duration(-20 * time.Second), "-20.0 s"},
		{"the first wording that fits", phrase.Headline("", long+long, "short", "shorter"), "short"},
		{"the last wording is cut between words", phrase.Headline(long), strings.TrimSpace(long[:120]) + "…"},
		{"sequence numbers are left out", phrase.Headline("2 failed on a: seq 1 2"), "2 failed on a"},
		{"control characters are dropped, and lines stay", phrase.PrintableLines("a\n\tb\x1b[2J\rc\u009b\u202ed\x00 é…"), "a\n\tb[2Jcd é…"},
		{"a headline is one line", phrase.Headline("a\nb\t\x1bc"), "a b c"},
	} {
		if row.got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, row.got, row.want)
		}
	}
}

func TestHeadlineFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := phrase.Headline(rapid.SliceOf(rapid.String()).Draw(t, "wordings")...)
		if n := utf8.RuneCountInString(h); n > phrase.MaxHeadline {
			t.Fatalf("%d characters: %q", n, h)
		}
		if strings.ContainsAny(h, "\r\n\x1b") || strings.Contains(h, " seq ") {
			t.Fatalf("%q", h)
		}
	})
}
