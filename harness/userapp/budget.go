package userapp

import (
	"fmt"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/usage"
	"rollcall/harness/verdict"
)

// A Budget is what a client may lose; without any, none loses a request. What is empty does not matter.
type Budget struct {
	MaxOutage string `json:"maxOutage,omitempty"` // longest time without a good reply, such as 5s
	MaxFailed string `json:"maxFailed,omitempty"` // largest share of its requests since the first change that fail, such as 0.1%
}

// Losses is the same as values.
type Losses struct {
	Outage   time.Duration // 0: it does not matter
	Permille int           // 0: it does not matter
}

// Read reads it, as options of these names.
func (b Budget) Read(outage, failed string) (l Losses, err error) {
	if l.Outage, err = usage.Duration(outage, b.MaxOutage, 0, time.Millisecond); err != nil {
		return l, err
	}
	l.Permille, err = usage.Permille(failed, b.MaxFailed)
	return l, err
}

// Words says what no client does.
func (l Losses) Words() string {
	switch {
	case l.Outage > 0 && l.Permille > 0:
		return fmt.Sprintf("goes without a good reply for over %v or loses over %.1f %% of its requests", l.Outage, float64(l.Permille)/10)
	case l.Outage > 0:
		return fmt.Sprintf("goes without a good reply for over %v", l.Outage)
	case l.Permille > 0:
		return fmt.Sprintf("loses over %.1f %% of its requests", float64(l.Permille)/10)
	default:
		return "loses a request"
	}
}

// Any reports whether anything may be lost.
func (l Losses) Any() bool { return l != Losses{} }

// Expectations judge each lane by what its client may lose.
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
	return list
}
