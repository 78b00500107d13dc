package usage

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration parses the value of an option, which is at least least; empty means usual. An error begins with option and the value: option is
// such as --settle=.
func Duration(option, text string, usual, least time.Duration) (time.Duration, error) {
	if text == "" {
		return usual, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least {
		remedy := "write it like 90s or 2h"
		if _, bare := strconv.ParseFloat(text, 64); bare == nil {
			remedy = fmt.Sprintf("give the unit: %[1]sms, %[1]ss or %[1]sm?", text)
		}
		return 0, New(option+text, fmt.Sprintf("it is not a duration of %v or more", least), remedy)
	}
	return d, nil
}

// Permille parses the share of requests that may fail, such as 0.1%, and returns it in thousandths; empty means 0.
func Permille(option, text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	n := int(math.Round(percent * 10))
	if err != nil || n < 1 || n > 1000 || math.Abs(percent*10-float64(n)) > 1e-6 {
		return 0, New(option+text, "it is not a share of 0.1% to 100%, in steps of 0.1%", "write it like 0.1%, or leave it out: none may fail")
	}
	return n, nil
}

// Statuses parses a list of HTTP statuses and ranges, such as 200-399,404, and returns each status.
func Statuses(option, text string) (all []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		to := from
		if ranged && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 100 || to > 599 || from > to {
			return nil, New(option+text, fmt.Sprintf("%q is not a status or range of them", part), "write it like 200-299,404")
		}
		if to < 200 {
			return nil, New(option+text, fmt.Sprintf("no reply ends with status %s: another one follows it", part), "write it like 200-299,404")
		}
		for status := from; status <= to; status++ {
			all = append(all, status)
		}
	}
	return all, nil
}
