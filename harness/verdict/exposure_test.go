package verdict_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// A mistake in a rule may stay unseen if no recording of a real cluster has anything for it to judge. So each rule is tested on the
// recorded folders, with their own expectations or else with these.
func TestEveryRuleIsPutToRecordedFolders(t *testing.T) {
	asked := []evidence.Expectation{
		verdict.MinOutage(ms), verdict.RulesBeforeSigterm(), verdict.OldAtStatus(1), verdict.OldEndsFirst(), verdict.StillServes("v2", 95),
		verdict.Share("v2", 50, evidence.RolloutBegun), verdict.CleanCut(), verdict.MaxMixedWindow(time.Second), verdict.MinMixedWindow(ms),
		verdict.FactWithin("until gone", 0, time.Second), verdict.Noted("exit code"), verdict.SentWhileTerminating(), verdict.Mixes(1),
		verdict.BothOrders(),
		verdict.MinTerminations(1), verdict.MinTerminationsLost(50), verdict.MaxLatency(time.Second), verdict.MaxP99(time.Second),
		verdict.NoSlowReplies(),
		verdict.ServesUntilSigterm(), verdict.LostWhileNoneServes(evidence.Refused), verdict.Pause(0, time.Minute),
		verdict.MostDrainLags(50, ms), verdict.AnswersAfter("v1", evidence.RolloutBegun, 1), verdict.MaxStatusGap(ms),
		verdict.KeptConnections("v1"), verdict.MaxSwitch(ms), verdict.FactAtLeast("exit code", 1), verdict.ReachesTerminating(),
		verdict.ClientsBeforeSigterm(), verdict.OnlyServesAfter("v2", ms, evidence.OldGone),
		verdict.LostWhileTerminating(), verdict.LostWhileStarting(), verdict.LostTo(timeline.StageDropped),
		verdict.LossesAtSteps(time.Second), verdict.LostAtSteps("drain"),
		verdict.MaxFailedShare(1), verdict.ReplyGap(0, ms), verdict.MaxRuleLag(ms),
		verdict.AllAnswered("outside-fresh"), verdict.AllFail("outside-fresh"), verdict.AnsweredBy("outside-fresh", "v1", "v2"),
		verdict.EvenTurns("outside-fresh", 3), verdict.EqualTurns("outside-fresh", 3), verdict.AnsweredByDeleted("outside-fresh", 1),
		verdict.NotAnsweredByDeleted("outside-fresh"), verdict.AnsweredWithin("outside-fresh", time.Second, evidence.RolloutBegun),
		verdict.SentInMaintenance(ms), verdict.SomethingChanged(),
		verdict.LostShare(0, time.Minute, evidence.RolloutBegun), verdict.DoneAfter(evidence.RolloutBegun), verdict.StepInRollout("drain"),
		verdict.VersionsOverlap(ms, time.Hour), verdict.MaxCuts(1), verdict.CutAgain(1), verdict.Ledger(),
		verdict.ToldBeforeEnd(), verdict.BackWithin(time.Second),
		verdict.EndedByKill(1), verdict.MaxConnectionShare(50), verdict.MinConnectionShare(50), verdict.CutAsPredicted("exponential:1s", ms, 1),
	}
	most := map[string]verdict.Exposure{}
	for _, root := range []string{"testdata/recorded", "../../reports/testdata/recorded"} {
		folders, err := os.ReadDir(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range folders {
			ev, err := store.Read(filepath.Join(root, folder.Name()))
			if err != nil {
				t.Fatal(err)
			}
			hits, err := ev.Hits.All()
			if err != nil {
				t.Fatal(err)
			}
			kept := recording{Run: ev.Run, Hits: hits}
			numbered(&kept)
			ev.Hits, ev.Connections = evidence.Hits(kept.Hits), evidence.Connections(kept.Connections)
			// The recorded folders have no noted duration, no step of maintenance, no rows of connections, and no requests of steps.
			ev.Events = append(ev.Events, evidence.Event{At: ev.Run.Length, Kind: evidence.Fact, Object: "until gone", Detail: "500ms"},
				evidence.Event{Kind: evidence.Step, Detail: "drain"})
			for i := range ev.Run.Lanes {
				ev.Run.Lanes[i].Steps = ev.Run.Lanes[i].Vantage == evidence.FromHost
			}
			ev.Run.Expect = append(ev.Run.Expect, asked...)
			tl, err := timeline.Join(ev)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range verdict.Judge(ev.Run, tl).Findings {
				if f.Exposure.Count >= most[f.Rule].Count {
					most[f.Rule] = f.Exposure
				}
			}
		}
	}
	for _, rule := range verdict.Rules() {
		e := most[rule.ID]
		t.Logf("%s: %d of %q", rule.ID, e.Count, e.Unit)
		if e.Count == 0 {
			t.Errorf("no recorded folder puts %s to anything: expect it above, or record one that does", rule.ID)
		}
	}
}
