// Package phrase writes numbers, durations, counts and headlines the same way in every verdict and report.
package phrase

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// Number writes a number with a comma before each group of three digits: 5,188.
func Number(n int) string {
	digits, sign := strconv.Itoa(n), ""
	if n < 0 {
		digits, sign = digits[1:], "-"
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Count writes a number of things: "1 reply", "5,188 replies", "6 pairs of pod and node".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if head, rest, of := strings.Cut(noun, " of "); of {
		return Count(n, head) + " of " + rest
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return Number(n) + " " + stem + "ies"
	}
	return Number(n) + " " + noun + "s"
}

// Faults writes the number of failures by kind, in the order of [evidence.Faults]: "2 refused, 1 timeout"; empty without a failure.
func Faults(failures map[evidence.Fault]int) string {
	known := evidence.Faults()
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(failures)), func(f evidence.Fault) bool { return slices.Contains(known, f) })
	var parts []string
	for _, fault := range slices.Concat(known, unknown) {
		if n := failures[fault]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, fault))
		}
	}
	return strings.Join(parts, ", ")
}

// Seconds writes a time or duration to the millisecond: "41.203 s".
func Seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }

// Elapsed writes a measured duration, with its uncertainty, rounded up, if it has one: "0.140 s ± 0.002 s".
func Elapsed(e timeline.Elapsed) string {
	if e.Uncertainty == 0 {
		return Seconds(e.Length)
	}
	return fmt.Sprintf("%s ± %s", Seconds(e.Length), Seconds((e.Uncertainty + time.Millisecond - 1).Truncate(time.Millisecond)))
}

// Duration writes a duration in about three digits: "45 ms", "1.25 s", "20.0 s".
func Duration(d time.Duration) string {
	switch abs := d.Abs(); {
	case abs < time.Second-500*time.Microsecond:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	case abs < 10*time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

// Capital writes a sentence, which has at least one letter, with a capital.
func Capital(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] }
