package verdict_test

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// In these rows pod b, which gets requests until 990 ms, ends at 1.19 s: a reply that takes 250 ms is cut if its request came at 950 ms or
// later, and may be if it came at 940 ms.
var cutRows = []ruleRow{
	{"the replies that take longer than their pod lasts are cut", asCut("fixed:250ms", 5), all(bEnds, cut(evidence.Closed, 94, 98)),
		verdict.Pass},
	{"so is one that may be", asCut("fixed:250ms", 5), all(bEnds, cut(evidence.Closed, 93, 98)), verdict.Pass},
	{"a reply comes whole after its pod ended", asCut("fixed:250ms", 5), all(bEnds, cut(evidence.Closed, 95, 98)), verdict.Fail},
	{"a request fails whose pod does not end", asCut("fixed:250ms", 5), all(bEnds, cut(evidence.Closed, 94, 98),
		cut(evidence.Closed, 120, 120)), verdict.Fail},
	{"a request fails that reached no pod", asCut("fixed:250ms", 5), all(bEnds, cut(evidence.Closed, 94, 98),
		breaking("worker-fresh", evidence.Refused, 130)), verdict.Fail},
	{"about as many are cut as are longer", asCut("uniform:1ms:401ms", 5), all(bEnds, cut(evidence.Closed, 93, 98)), verdict.Pass},
	{"none is", asCut("uniform:1ms:401ms", 5), bEnds, verdict.Fail},
	{"far more are", asCut("uniform:1ms:401ms", 5), all(bEnds, cut(evidence.Closed, 70, 98)), verdict.Fail},
	{"each is cut in the way expected", asCut("fixed:250ms", 5, evidence.Closed), all(bEnds, cut(evidence.Closed, 94, 98)), verdict.Pass},
	{"some are cut in another way", asCut("fixed:250ms", 5, evidence.Truncated), all(bEnds, cut(evidence.Closed, 94, 98)), verdict.Fail},
	{"too few are to be expected to show anything", asCut("fixed:250ms", 20), all(bEnds, cut(evidence.Closed, 94, 98)), verdict.Inconclusive},
	{"the end of a pod was not seen", asCut("fixed:250ms", 5), cut(evidence.Closed, 94, 98), verdict.Inconclusive},
	{"no pod ends while it replies", asCut("fixed:1ms", 0), bEnds, verdict.Inconclusive},
	{"a length that is none", asCut("250ms", 5), bEnds, verdict.Inconclusive},
}

func asCut(lasts evidence.Length, n int, as ...evidence.Fault) evidence.Expectation {
	return verdict.CutAsPredicted(lasts, 5*time.Millisecond, n, as...)
}

var bEnds = all(with(pod(790, evidence.PodExited, "v1", "a")), with(pod(1190, evidence.PodExited, "v1", "b")))

// cut has the replies to some requests of both lanes through the Service end before they are whole.
func cut(fault evidence.Fault, first, last uint64) edit {
	return func(ev *recording) {
		for i := range ev.Hits {
			if h := &ev.Hits[i]; slices.Contains([]string{"worker-fresh", "worker-reused"}, h.Lane) && first <= h.Seq && h.Seq <= last {
				h.Fault = fault
			}
		}
	}
}
