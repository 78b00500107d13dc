package loadgen

import (
	"slices"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// A Background keeps an app busy with requests that are not recorded: they have no hits and, since they belong to no lane, no
// arrivals.
type Background struct {
	attacker     *vegeta.Attacker
	done         chan struct{}
	sent, failed int                    // once done
	answered     map[string][]time.Time // pod -> send times of the requests that it answered well; once done
}

// StartBackground sends rate requests per second to an http URL, each over a new connection, until Stop.
func StartBackground(target string, rate int) *Background {
	b := &Background{attacker: vegeta.NewAttacker(vegeta.KeepAlive(false), vegeta.Timeout(DefaultTimeout)), done: make(chan struct{}),
		answered: map[string][]time.Time{}}
	targeter := vegeta.NewStaticTargeter(vegeta.Target{Method: "GET", URL: target})
	results := b.attacker.Attack(targeter, vegeta.Rate{Freq: rate, Per: time.Second}, 0, "")
	go func() {
		defer close(b.done)
		for result := range results {
			b.sent++
			if result.Error != "" {
				b.failed++
				continue
			}
			pod := result.Headers.Get(podHeader)
			b.answered[pod] = append(b.answered[pod], result.Timestamp)
		}
	}()
	return b
}

// Stop ends the requests and returns how many were sent and how many of them got no good reply. It may be called again.
func (b *Background) Stop() (sent, failed int) {
	b.attacker.Stop()
	<-b.done
	return b.sent, b.failed
}

// Pods returns how many pods answered requests that were sent between from and to. Call it after Stop.
func (b *Background) Pods(from, to time.Time) (n int) {
	for _, sent := range b.answered {
		if slices.ContainsFunc(sent, func(at time.Time) bool { return !at.Before(from) && at.Before(to) }) {
			n++
		}
	}
	return n
}
