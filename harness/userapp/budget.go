package userapp

import (
	"fmt"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
)

// A Budget says what each client may lose. An empty field sets no limit; without MaxOutage and MaxFailed no request may fail.
type Budget struct {
	MaxOutage string // longest time without a good reply, such as 5s
	MaxFailed string // largest share of failed requests since the first change, such as 0.1%
	P99       string // most that 99 % of the good replies since then may take, such as 300ms
}

// Losses is a parsed Budget.
type Losses struct {
	Outage   time.Duration // 0: no limit
	Permille int           // 0: no limit
	P99      time.Duration // 0: no limit
}

// Read parses the budget.
func (b Budget) Read() (l Losses, err error) {
	if l.Outage, err = usage.Duration("--max-outage=", b.MaxOutage, 0, time.Millisecond); err != nil {
		return l, err
	}
	if l.Permille, err = usage.Permille("--max-failed=", b.MaxFailed); err != nil {
		return l, err
	}
	l.P99, err = usage.Duration("--max-latency=p99=", b.P99, 0, time.Millisecond)
	return l, err
}

// Words returns what no client may do, such as "loses a request".
func (l Losses) Words() string {
	var all []string
	if l.Outage > 0 {
		all = append(all, fmt.Sprintf("goes without a good reply for over %v", l.Outage))
	}
	switch {
	case l.Permille > 0:
		all = append(all, fmt.Sprintf("loses over %.1f %% of its requests", float64(l.Permille)/10))
	case l.Outage == 0:
		all = append(all, "loses a request")
	}
	if l.P99 > 0 {
		all = append(all, fmt.Sprintf("waits for over %v for more than 1 %% of its replies", l.P99))
	}
	return strings.Join(all, " or ")
}

// Expectations returns those that hold each lane to the budget.
func (l Losses) Expectations() (list []evidence.Expectation) {
	if l.Outage > 0 {
		list = append(list, verdict.MaxOutage(l.Outage), verdict.ReplyGap(0, l.Outage))
	}
	if l.Permille > 0 {
		list = append(list, verdict.MaxFailedShare(l.Permille))
	}
	if len(list) == 0 {
		list = append(list, verdict.NoFailures())
	}
	if l.P99 > 0 {
		list = append(list, verdict.MaxP99(l.P99))
	}
	return list
}
