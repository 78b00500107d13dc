package reports

import (
	"math"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// millis returns a duration in milliseconds with at most three decimals.
func millis(d time.Duration) float64 { return thousandths(float64(d) / float64(time.Millisecond)) }

// markMillis returns when a mark was set, in milliseconds; nil if it was not.
func markMillis(tl timeline.Timeline, mark evidence.EventKind) *float64 {
	if at, ok := tl.Mark(mark); ok {
		return new(millis(at))
	}
	return nil
}

// seconds returns a duration in seconds with at most three decimals.
func seconds(d time.Duration) float64 { return thousandths(d.Seconds()) }

func thousandths(x float64) float64 { return math.Round(x*1000) / 1000 }
