package progress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var drained = Name{"iptables", "rollout", "drained"}

func TestABoardTellsWhatIsUnderWayAndWhatEnded(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		board, err := Open(folder, "run-1", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		board.Expect([]Expected{{drained, 60, 1}, {Name{"iptables", "rollout", "defaults"}, 30, 3}})
		entry := board.Entry(drained)
		entry.Begin()
		time.Sleep(20 * time.Second)
		line := entry.Update(Running{Phase: "rolling out", Sent: 1200, Failed: 3, Replies: map[string]int{"v2": 2, "v1": 1195}})
		want := "iptables drained   20.0s ~40s left  rolling out          sent   1200  failed    3  v1 1195 v2 2"
		if diff := cmp.Diff(want, line); diff != "" {
			t.Error(diff)
		}
		s, err := Read(filepath.Join(folder, File))
		if err != nil || len(s.Running) != 1 || s.Running[0].Sent != 1200 || *s.Left != 50 {
			t.Fatalf("%+v, %v", s, err)
		}
		time.Sleep(25 * time.Second)
		entry.End(Result{Outcome: "fail", Because: "3 of 1200 requests failed"})

		// the next process of the run continues it
		if board, err = Open(folder, "another", time.Now()); err != nil {
			t.Fatal(err)
		}
		board.Do("opening cluster rollcall-nftables")
		s, err = Read(filepath.Join(folder, File))
		if err != nil || s.Run != "run-1" || len(s.Running) != 0 || *s.Left != 10 {
			t.Fatalf("%+v, %v", s, err)
		}
		if diff := cmp.Diff([]Ended{{drained, Result{Outcome: "fail", Because: "3 of 1200 requests failed"}, 45}}, s.Ended); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWaitingToBeRecordedAgainTakesNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := Open(t.TempDir(), "r", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		e := b.Entry(Name{Mode: "iptables", Suite: "rollout", Scenario: "drained"})
		e.Begin()
		time.Sleep(10 * time.Second)
		e.Pause()
		time.Sleep(time.Hour)
		e.Begin()
		time.Sleep(5 * time.Second)
		e.Pause()
		e.End(Result{Outcome: "pass"})
		if got := b.status.Ended[0].Seconds; got != 15 {
			t.Errorf("%v s", got)
		}
	})
}

// Replies name any version, and a terminal obeys escape codes.
func TestLinesAreSafeToPrint(t *testing.T) {
	s := Status{Doing: "making\x1b]0;x\a a cluster", Running: []Running{{Name: drained, Phase: "rolling out", Seconds: 12, Sent: 7,
		Replies: map[string]int{"v1\x1b[2J\r": 3, "v2\u009b31m": 4}, Trouble: "agent\x1b[1A does not answer "}}}
	want := []string{"", "0s  0 passed, 0 failed, 0 inconclusive, 0 skipped", "  making]0;x a cluster",
		"  iptables drained   12.0s  rolling out          sent      7  failed    0  v1[2J 3 v231m 4  agent[1A does not answer"}
	if diff := cmp.Diff(want, s.Lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Skipped scenarios are added to the expected ones, and have ended from the beginning.
func TestTotal(t *testing.T) {
	other, skipped := Name{"iptables", "rollout", "defaults"}, Name{"ipvs", "rollout", "drained"}
	s := Status{Expected: []Expected{{Name: drained}, {Name: other}}, Running: []Running{{Name: drained}},
		Ended: []Ended{{Name: skipped, Result: Result{Outcome: "skipped"}}}}
	if n := s.Total(); n != 3 {
		t.Errorf("%d scenarios, want 3", n)
	}
}

func TestABoardThatCannotBeWrittenSaysSo(t *testing.T) {
	folder := t.TempDir()
	board, err := Open(folder, "run-1", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	board.Entry(drained).End(Result{Outcome: "pass"})
	if board.Err() == nil {
		t.Error("nobody is told")
	}
}

func TestAScreenOnATerminalKeepsItsPlace(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	left := 90.0
	s := Status{Began: began, Updated: began.Add(65 * time.Second), Left: &left,
		Running: []Running{{Name: drained, Phase: "rolling out", Seconds: 12},
			{Name: Name{"iptables", "rollout", "defaults"}, Phase: "without load", Seconds: 1}}}
	var out strings.Builder
	screen := &Screen{out: &out, colour: true, width: func() int { return 46 }}
	for _, step := range []struct {
		sentence string
		ended    []Ended
		running  int
		want     string
	}{
		{"nothing has ended", nil, 2, "\n1m5s  0 passed, 0 failed, 0 inconclusive, 0…\n" +
			"  iptables drained   12.0s  rolling out\n  iptables defaults    1.0s  without load\n"},
		{"one has failed, and why is said at once",
			[]Ended{{drained, Result{Outcome: "fail", Because: "3 failed\x1b[2J", Facts: []string{"by kind: 3 refused"}}, 45}}, 1,
			"\x1b[4A\x1b[J\x1b[31mFAIL\x1b[0m 45.0s rollout/drained (iptables): 3 failed[2J\n    by kind: 3 refused\n\n" +
				"1m5s  0 passed, 1 failed, 0 inconclusive, 0…\n  iptables defaults    1.0s  without load\n"},
		{"the last has passed, and nothing is under way", []Ended{{drained, Result{Outcome: "fail"}, 45},
			{Name{"iptables", "rollout", "defaults"}, Result{Outcome: "pass", Because: "all hold"}, 3}}, 0,
			"\x1b[3A\x1b[J\x1b[32mPASS\x1b[0m 3.0s rollout/defaults (iptables): all hold\n"},
		{"a mode was skipped as a whole, and one scenario of another", []Ended{{drained, Result{Outcome: "fail"}, 45},
			{Name{"iptables", "rollout", "defaults"}, Result{Outcome: "pass", Because: "all hold"}, 3},
			{Name{"ipvs", "rollout", "drained"}, Result{Outcome: "skipped", Because: "no IP_VS"}, 0},
			{Name{"ipvs", "rollout", "defaults"}, Result{Outcome: "skipped", Because: "no IP_VS"}, 0},
			{drained, Result{Outcome: "skipped", Because: "no IP_VS"}, 0}}, 0,
			"\x1b[36mSKIP\x1b[0m 2 scenarios (ipvs): no IP_VS\n\x1b[36mSKIP\x1b[0m 0.0s rollout/drained (iptables): no IP_VS\n"},
	} {
		out.Reset()
		s.Ended, s.Running = step.ended, s.Running[len(s.Running)-step.running:]
		if err := screen.Draw(s); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, out.String()); diff != "" {
			t.Errorf("%s: %s", step.sentence, diff)
		}
	}
}

// A log without lines looks as if the run hung.
func TestALogTellsOfALongScenario(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	left, passed := 90.0, []Ended{{drained, Result{Outcome: "pass", Because: "all hold"}, 3}}
	var out strings.Builder
	screen := NewScreen(&out)
	for _, step := range []struct {
		sentence string
		after    time.Duration
		ended    []Ended
		want     string
	}{
		{"the run has just begun", 0, nil, ""},
		{"it is not silent for long", 59 * time.Second, nil, ""},
		{"it says what it does, and how long that takes", 60 * time.Second, nil,
			"\n1m0s  0 passed, 0 failed, 0 inconclusive, 0 skipped; ~1m30s left\n  iptables drained   12.0s  rolling out\n"},
		{"once a minute", 119 * time.Second, nil, ""},
		{"a scenario that ended tells enough", 120 * time.Second, passed, "PASS 3.0s rollout/drained (iptables): all hold\n"},
		{"for another minute", 179 * time.Second, passed, ""},
	} {
		out.Reset()
		s := Status{Began: began, Updated: began.Add(step.after), Left: &left, Ended: step.ended,
			Running: []Running{{Name: drained, Phase: "rolling out", Seconds: 12}}}
		if err := screen.Draw(s); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, out.String()); diff != "" {
			t.Errorf("%s: %s", step.sentence, diff)
		}
	}
}

func TestAScreenHasALineForEachScenario(t *testing.T) {
	failed := Result{Outcome: "fail", Headline: "3 of 1,200 requests failed; pods need a preStop sleep of 21 s",
		Because: "3 of 1200 requests failed: seq 4 5 6",
		Facts:   []string{"by kind: 3 refused", "witnesses: " + strings.Repeat("worker-fresh 1 ", 8)}}
	long := Result{Outcome: "inconclusive", Because: "the recording cannot be trusted: " + strings.Repeat("late ", 20) + "\x1b[2J"}
	s := Status{}
	var out strings.Builder
	screen := NewScreen(&out)
	for _, step := range []struct {
		sentence string
		ended    []Ended
		want     string
	}{
		{"nothing has ended", nil, ""},
		{"one has passed", []Ended{{drained, Result{Outcome: "pass", Headline: "0 of 4,544 requests failed"}, 12.34}},
			"PASS 12.3s rollout/drained (iptables): 0 of 4,544 requests failed\n"},
		{"a long headline of one that passed is cut", []Ended{{drained, Result{Outcome: "pass", Facts: []string{"by kind: 3 refused"},
			Headline: strings.Repeat("all of it ", 12)}, 12.34}},
			"PASS 12.3s rollout/drained (iptables): " + strings.Repeat("all of it ", 7) + "all of it…\n"},
		{"what follows from a long one stands below", []Ended{{drained, Result{Outcome: "pass",
			Headline: "0 of 4,544 requests failed; 0 of 33 pods (66 pod terminations, counted by node) lost one (95 %: at most 4.4 % do)"}, 12.34}},
			"PASS 12.3s rollout/drained (iptables): 0 of 4,544 requests failed\n" +
				"    0 of 33 pods (66 pod terminations, counted by node) lost one (95 %: at most 4.4 % do)\n"},
		{"one that passed without a headline says why, and has nothing below", []Ended{{drained, Result{Outcome: "pass",
			Because: "56 failed\nas they should: seq 4 5 6", Facts: []string{"by kind: 3 refused"}}, 12.34}},
			"PASS 12.3s rollout/drained (iptables): 56 failed as they should\n"},
		{"one has failed, and the facts are below", []Ended{{drained, failed, 45}},
			"FAIL 45.0s rollout/drained (iptables): 3 of 1,200 requests failed; pods need a preStop sleep of 21 s\n    by kind: 3 refused\n" +
				"    witnesses: worker-fresh 1 worker-fresh 1 worker-fresh 1 worker-fresh 1 worker-fresh 1 worker-fresh 1 worker-fresh\n" +
				"      1 worker-fresh 1\n"},
		{"a long reason has lines of its own", []Ended{{drained, long, 1}},
			"INCONCLUSIVE 1.0s rollout/drained (iptables):\n    the recording cannot be trusted: " + strings.Repeat("late ", 15) + "late\n" +
				"      late late late late [2J\n"},
		{"a mode was skipped", []Ended{{Name{"ipvs", "rollout", "drained"}, Result{Outcome: "skipped", Because: "no IP_VS"}, 0},
			{Name{"ipvs", "rollout", "defaults"}, Result{Outcome: "skipped", Because: "no IP_VS"}, 0}}, "SKIP 2 scenarios (ipvs): no IP_VS\n"},
		{"nothing more has ended", nil, ""},
	} {
		out.Reset()
		s.Ended = append(s.Ended, step.ended...)
		if err := screen.Draw(s); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, out.String()); diff != "" {
			t.Errorf("%s: %s", step.sentence, diff)
		}
	}
}
