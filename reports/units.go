package reports

import (
	"math"
	"time"
)

// millis is a duration in milliseconds with at most three decimals.
func millis(d time.Duration) float64 { return thousandths(float64(d) / float64(time.Millisecond)) }

// seconds is a duration in seconds with at most three decimals.
func seconds(d time.Duration) float64 { return thousandths(d.Seconds()) }

func thousandths(x float64) float64 { return math.Round(x*1000) / 1000 }
