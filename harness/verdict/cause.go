package verdict

import (
	"fmt"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// causeCodes has a code for each stage at which requests are lost.
var causeCodes = func() (all []Code) {
	for _, s := range timeline.StageTexts() {
		all = append(all, Code{Code: s.Code, ID: string(s.Stage), Causes: s.Means, Do: s.Do})
	}
	return all
}()

// Since says since when requests were lost, such as "since the drain of worker"; empty if that is not known.
func Since(c timeline.Cause) string {
	switch c.Trigger {
	case timeline.TriggerUnknown:
		return ""
	case timeline.TriggerNothing:
		return "at one pace, whatever changed"
	default:
		return "since " + c.Since.What
	}
}

// because returns wordings that say why a share of all requests failed, by the cause of most of them; later ones are shorter. They are
// empty if nothing is known of it.
func because(share string, causes []timeline.Cause) []string {
	if len(causes) == 0 || causes[0].Stage == timeline.StageUnknown {
		return nil
	}
	most := causes[0]
	who := "all"
	switch {
	case len(causes) > 1:
		who = phrase.Number(len(most.Hits))
	case len(most.Hits) == 1:
		who = "it"
	}
	said := []string{fmt.Sprintf("%s: %s %s", share, who, most.Did())}
	if since := Since(most); since != "" {
		said = append([]string{said[0] + ", " + since}, said...)
	}
	return said
}
