package during

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"rollcall/harness/poll"
)

// untilEvery is how often a command is run that says whether the maintenance is over.
const untilEvery = 2 * time.Second

// awaitOver returns when what the command began is over, by the options' word.
func (m *maintenance) awaitOver(ctx context.Context) {
	if m.lasts > 0 {
		m.screen.say(fmt.Sprintf("what it began goes on for %v", m.lasts))
		select {
		case <-time.After(m.lasts):
		case <-ctx.Done():
		}
	}
	if m.until == "" {
		return
	}
	m.screen.say("what it began goes on until this succeeds: " + m.until)
	_ = poll.Until(ctx, untilEvery, func() (bool, error) { // that ctx ended is seen by who waits
		c := exec.CommandContext(ctx, "sh", "-c", m.until)
		c.Env = append(c.Environ(), m.environment()...)
		return c.Run() == nil, nil
	})
}
