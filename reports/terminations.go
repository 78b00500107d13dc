package reports

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/harness/verdict/statistics"
	"example.com/rollcall/reports/model"
)

// newTerminations counts terminations; nil without any.
func newTerminations(ends timeline.Ends) *model.Terminations {
	if ends.Pairs == 0 {
		return nil
	}
	n, lost := ends.Samples()
	return &model.Terminations{Count: ends.Pairs, Lost: ends.PairsLost, ByNode: ends.ByNode, Pods: ends.Pods, PodsLost: ends.PodsLost,
		Upper: thousandths(100 * statistics.UpperShare(lost, n))}
}

// newNeededDrains summarizes the drains needed; nil if no node's rules were observed.
func newNeededDrains(all []timeline.Termination) *model.NeededDrains {
	var needed []time.Duration
	var n model.NeededDrains
	for _, x := range all {
		if !x.Observed {
			continue
		}
		needed = append(needed, max(0, x.Needed))
		if x.Margin != nil {
			margin := millis(x.Margin.Length - x.Margin.Uncertainty)
			if n.Margin == nil || margin < *n.Margin {
				n.Margin = &margin
			}
		}
	}
	if len(needed) == 0 {
		return nil
	}
	slices.Sort(needed)
	n.Terminations, n.P50, n.Max = len(needed), millis(timeline.Percentile(needed, 50)), millis(needed[len(needed)-1])
	n.MaxCovers = thousandths(100 * statistics.CoveredShare(len(needed)))
	if rank, ok := statistics.Rank(0.95, len(needed)); ok {
		n.P95 = new(millis(needed[rank-1]))
	}
	return &n
}

// A modeSleep is the preStop sleep that pods needed in a mode.
type modeSleep struct {
	mode         string
	longest      time.Duration
	terminations int
}

// sleepsByMode returns, by mode, how long nodes kept sending requests to terminating pods at most, where nothing was done to the cluster. A
// mode in which no node's rules were observed is left out.
func sleepsByMode(r model.Report) (all []modeSleep) {
	needed := map[string]modeSleep{}
	for _, s := range r.Scenarios {
		n := s.Numbers.NeededDrains
		if n == nil || s.Disruption != nil || len(s.Steps) > 0 || len(s.ClusterChanges) > 0 || len(s.Distrust) > 0 || s.RecordedFor != "" {
			continue
		}
		was := needed[s.Mode]
		longest := time.Duration(n.Max * float64(time.Millisecond))
		needed[s.Mode] = modeSleep{s.Mode, max(was.longest, longest), was.terminations + n.Terminations}
	}
	for _, mode := range slices.Sorted(maps.Keys(needed)) {
		all = append(all, needed[mode])
	}
	return all
}

// neededLine says which preStop sleep would have been enough; empty if no rules were observed.
func neededLine(r model.Report) string {
	var by []string
	for _, n := range sleepsByMode(r) {
		by = append(by, fmt.Sprintf("%.1f s in %s (%s)", n.longest.Seconds(), n.mode, phrase.Count(n.terminations, "pod termination")))
	}
	if len(by) == 0 {
		return ""
	}
	return "needed preStop sleep: " + strings.Join(by, ", ") + "; for so long nodes kept sending requests to terminating pods"
}

// NeededSleep says the same in a sentence for the head of a page.
func NeededSleep(r model.Report) string {
	needed := sleepsByMode(r)
	if len(needed) == 0 {
		return ""
	}
	var by []string
	terminations, whole := 0, 0.0
	for _, n := range needed {
		by = append(by, fmt.Sprintf("%.1f s in %s", n.longest.Seconds(), n.mode))
		terminations, whole = terminations+n.terminations, max(whole, math.Ceil(n.longest.Seconds()))
	}
	return fmt.Sprintf("Pods need a preStop sleep of %s on this cluster (%g s in a manifest): for so long nodes kept sending requests to "+
		"terminating pods (%s seen).", strings.Join(by, " and "), whole, phrase.Count(terminations, "termination"))
}
