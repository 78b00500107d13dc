package reports

import (
	"fmt"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// newConnections sums up the connections that a lane kept; nil if it kept none.
func newConnections(k timeline.Keeping) *model.Connections {
	if k.Opened == 0 {
		return nil
	}
	c := &model.Connections{Opened: k.Opened, Cut: k.Cut, Told: k.Told}
	if k.Back.Count > 0 {
		c.Back = new(newLatency(k.Back))
	}
	return c
}

// streamTotals says what became of the streams of a scenario, or of the connections that clients keep by another protocol than HTTP/1.1;
// empty without either.
func streamTotals(s model.Scenario) string {
	var all []string
	for _, lane := range s.LoadLanes() {
		switch by := evidence.ProtocolNamed(lane.Protocol); {
		case by == evidence.HTTP || !lane.Kind().RequestsApp():
		case lane.Connections != nil:
			all = append(all, lane.ID+" "+keptText(*lane.Connections))
		case lane.FirstToken != nil:
			all = append(all, lane.ID+" "+streamsText(lane))
		}
	}
	return strings.Join(all, "; ")
}

func keptText(c model.Connections) string {
	said := fmt.Sprintf("opened %s, of which %s cut", phrase.Count(c.Opened, "connection"), was(c.Cut))
	if c.Cut == 0 {
		return said
	}
	said += fmt.Sprintf(" and %s told before", was(c.Told))
	if c.Back != nil {
		said += fmt.Sprintf(" (back after %s, at most %s)", model.InMilliseconds.Text(c.Back.P50), model.InMilliseconds.Text(c.Back.Max))
	}
	return said
}

func streamsText(lane model.Lane) string {
	cut := lane.Failures[evidence.Closed] + lane.Failures[evidence.Reset] + lane.Failures[evidence.Truncated]
	said := fmt.Sprintf("asked for %s, of which %s cut; first token after %s, 99 %% within %s", phrase.Count(lane.Requests, "stream"),
		was(cut), model.InMilliseconds.Text(lane.FirstToken.P50), model.InMilliseconds.Text(lane.FirstToken.P99))
	if lane.TokenGap != nil {
		said += fmt.Sprintf("; longest gap between two %s, 99 %% within %s", model.InMilliseconds.Text(lane.TokenGap.P50),
			model.InMilliseconds.Text(lane.TokenGap.P99))
	}
	return said
}

func was(n int) string {
	if n == 1 {
		return "1 was"
	}
	return phrase.Number(n) + " were"
}
