package streams

import (
	"strings"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// tokenStreams: a pod's drain is awaited for as long as its program allows, and what still streams then is cut. Of streams whose length
// follows a distribution, that many are cut as take longer than the rest of their pod's time: the needed drain is the longest of them.
func tokenStreams() []harness.Scenario {
	all := []harness.Scenario{
		streaming("streams-drained", "a drain that is longer than the longest stream of tokens cuts none", "uniform:1s:8s", 15*time.Second,
			fixtures.App{}, verdict.NoFailures().OnKind(evidence.Streaming)),
		streaming("streams-unframed",
			"a reply that has no length and no end mark of HTTP is cut without an error: only the stream's own end mark tells",
			"uniform:1s:8s", shortDrain, fixtures.App{Unframed: true}, cutAsPredicted("uniform:1s:8s", evidence.Truncated)),
	}
	for _, lasts := range []evidence.Length{"fixed:6s", "uniform:1s:8s", "exponential:3s"} {
		name, _, _ := strings.Cut(string(lasts), ":")
		all = append(all, streaming("streams-cut-"+name, "a drain of 1 s cuts as many "+name+" streams of tokens as take longer",
			lasts, shortDrain, fixtures.App{}, cutAsPredicted(lasts)))
	}
	return all
}

// shortDrain is how long a program waits for its streams where these are cut.
const shortDrain = time.Second

// longestStream bounds streams: of exponential ones with a mean of 3 s, 1 of 500 million is longer.
const longestStream = time.Minute

func cutAsPredicted(lasts evidence.Length, as ...evidence.Fault) evidence.Expectation {
	return verdict.CutAsPredicted(lasts, killSlack, leastCuts, as...).OnKind(evidence.Streaming)
}

func streaming(
	id, claim string, lasts evidence.Length, drain time.Duration, app fixtures.App, judged evidence.Expectation,
) harness.Scenario {
	app.Replicas, app.OnTerm, app.PreStopSleep, app.Linger = 3, fixtures.Drain, 3*time.Second, time.Second
	app.DrainLimit, app.Grace, app.Stream = drain, 60*time.Second, string(lasts)
	return harness.Update(harness.Scenario{
		ID: id, Claim: claim, App: app,
		Kind: harness.UnderLoad{Also: []string{evidence.Streaming}, Settle: 10 * time.Second,
			Streams: harness.Streams{Rate: 60, Longest: longestStream}},
		Expect: []evidence.Expectation{judged},
	})
}
