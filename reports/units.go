package reports

import (
	"math"
	"time"
)

// millis returns a duration in milliseconds with at most three decimals.
func millis(d time.Duration) float64 { return thousandths(float64(d) / float64(time.Millisecond)) }

// optionalMillis returns a time in milliseconds; nil if it was not seen.
func optionalMillis(at *time.Duration) *float64 {
	if at == nil {
		return nil
	}
	return new(millis(*at))
}

// seconds returns a duration in seconds with at most three decimals.
func seconds(d time.Duration) float64 { return thousandths(d.Seconds()) }

func thousandths(x float64) float64 { return math.Round(x*1000) / 1000 }
