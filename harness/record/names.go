package record

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/loadgen"
)

// resolveEvery is how often this host resolves a name, beside the clients, which do so for themselves.
const resolveEvery = time.Second

// mostSteps is the most changes of a name that are noted: the DNS of a load balancer may return other addresses each time.
const mostSteps = 100

type lookup func(ctx context.Context, name string) ([]string, error)

// followNames notes, until stop, changes of the addresses of the names that lanes outside connect to, and when this host cannot resolve
// them. The clients resolve names themselves for each connection.
func followNames(ctx context.Context, lanes []evidence.Lane, look lookup, note func(evidence.Event)) (stop func()) {
	ctx, end := context.WithCancel(ctx)
	var following sync.WaitGroup
	var known []string
	for _, lane := range lanes {
		host, _, err := net.SplitHostPort(lane.DialAddress())
		if lane.Vantage != evidence.FromHost || err != nil || net.ParseIP(host) != nil || slices.Contains(known, host) {
			continue
		}
		known = append(known, host)
		following.Go(func() { followName(ctx, host, look, note) })
	}
	return func() { end(); following.Wait() }
}

func followName(ctx context.Context, host string, look lookup, note func(evidence.Event)) {
	var was []string
	lacking, steps := false, 0
	step := func(format string, values ...any) {
		if steps++; steps <= mostSteps {
			note(evidence.Event{Kind: evidence.NameChanged, Object: host, Detail: fmt.Sprintf(format, values...)})
		}
	}
	for ; ctx.Err() == nil; poll.Pause(ctx, resolveEvery) {
		limited, cancel := context.WithTimeout(ctx, loadgen.DefaultTimeout)
		now, err := look(limited, host)
		cancel()
		slices.Sort(now)
		switch {
		case ctx.Err() != nil:
		case err != nil && !lacking:
			lacking = true
			step("this host cannot resolve %s: %s", host, unresolved(err))
		case err != nil:
		default:
			if lacking {
				lacking = false
				step("this host resolves %s again", host)
			}
			if len(was) > 0 && !slices.Equal(was, now) {
				step("%s has address %s, before %s", host, strings.Join(now, ", "), strings.Join(was, ", "))
			}
			was = now
		}
	}
}

// unresolved returns a resolver's error without the name.
func unresolved(err error) string {
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &dns) && dns.IsTimeout:
		return "its resolver does not answer"
	case dns != nil:
		return dns.Err
	default:
		return err.Error()
	}
}
