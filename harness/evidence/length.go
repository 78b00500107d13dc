package evidence

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// A Length is the distribution of how long replies take: fixed:8s, uniform:1s:11s, or exponential:5s, whose mean it names. The echo app
// takes the same text (ROLLCALL_STREAM).
type Length string

// Fixed returns the distribution of replies that all take as long.
func Fixed(d time.Duration) Length { return Length("fixed:" + d.String()) }

// Check returns why it is no distribution, or nil.
func (l Length) Check() error {
	_, err := l.parse()
	return err
}

// Beyond returns the probability that a reply takes longer than d. That of a distribution that fails [Length.Check] is 0.
func (l Length) Beyond(d time.Duration) float64 {
	beyond, err := l.parse()
	switch {
	case err != nil:
		return 0
	case d < 0:
		return 1
	default:
		return beyond(d)
	}
}

// parse returns the probability that a reply takes longer, by a duration that is not negative.
func (l Length) parse() (beyond func(time.Duration) float64, err error) {
	parts := strings.Split(string(l), ":")
	times := make([]time.Duration, len(parts)-1)
	for i, text := range parts[1:] {
		if times[i], err = time.ParseDuration(text); err != nil || times[i] < 0 {
			return nil, l.unknown()
		}
	}
	switch {
	case parts[0] == "fixed" && len(times) == 1:
		return func(d time.Duration) float64 {
			if d < times[0] {
				return 1
			}
			return 0
		}, nil
	case parts[0] == "uniform" && len(times) == 2 && times[0] < times[1]:
		return func(d time.Duration) float64 {
			return min(1, max(0, float64(times[1]-d)/float64(times[1]-times[0])))
		}, nil
	case parts[0] == "exponential" && len(times) == 1 && times[0] > 0:
		return func(d time.Duration) float64 { return math.Exp(-float64(d) / float64(times[0])) }, nil
	default:
		return nil, l.unknown()
	}
}

func (l Length) unknown() error {
	return fmt.Errorf("%q is none of fixed:8s, uniform:1s:11s and exponential:5s", string(l))
}
