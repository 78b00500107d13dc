package nodeimage

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestLeft(t *testing.T) {
	steps := []Step{{"compile", 4 * time.Minute}, {"pack", time.Minute}}
	for _, row := range []struct {
		sentence string
		plan     schedule
		step     string
		elapsed  time.Duration
		progress float64
		want     time.Duration
	}{
		{"at the beginning it is what the steps usually take", schedule{steps: steps}, "compile", 0, 0, 5 * time.Minute},
		{"a step that cannot say how far it is goes on as usual", schedule{steps: steps}, "compile", time.Minute, 0, 4 * time.Minute},
		{"one that outlasts its usual time has the rest take longer too", schedule{steps: steps}, "compile", 8 * time.Minute, 0, 2 * time.Minute},
		{"half of the first step in its whole time: twice as long", schedule{steps: steps}, "compile", 4 * time.Minute, 0.5, 6 * time.Minute},
		{"half of it in a quarter of its time: half as long", schedule{steps: steps}, "compile", time.Minute, 0.5, 90 * time.Second},
		{"a little work says nothing of the machine", schedule{steps: steps}, "compile", time.Minute, 0.05, 5*time.Minute - 12*time.Second},
		{"a step beside the plan changes nothing", schedule{steps: steps}, "download", time.Hour, 0, 5 * time.Minute},
		{"what is done counts by how long it took", schedule{steps, 4 * time.Minute, 8 * time.Minute}, "pack", 0, 0, 2 * time.Minute},
		{"at the end nothing is left", schedule{steps, 5 * time.Minute, 9 * time.Minute}, "", 0, 0, 0},
	} {
		if got := row.plan.left(row.step, row.elapsed, row.progress); got.Round(time.Second) != row.want {
			t.Errorf("%s: %v, want %v", row.sentence, got, row.want)
		}
	}
}

// A machine that takes n times as long for every step is known to, once enough of them have ended.
func TestLeftFollowsTheMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slow := rapid.IntRange(1, 20).Draw(t, "times as long")
		var p schedule
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 600), 2, 8).Draw(t, "typical seconds") {
			p.steps = append(p.steps, Step{string(rune('a' + i)), minWork + time.Duration(n)*time.Second})
		}
		for i, s := range p.steps {
			p.end(s.Name, time.Duration(slow)*s.Typical)
			want := time.Duration(slow) * typicalOf(p.steps[i+1:])
			if got := p.left("", 0, 0); (got - want).Abs() > time.Millisecond {
				t.Fatalf("after %s %v are left, want %v", s.Name, got, want)
			}
		}
	})
}

func TestAbout(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "about 10 seconds", 84 * time.Second: "about 80 seconds", 90 * time.Second: "about 2 minutes",
		9*time.Minute + 20*time.Second: "about 9 minutes",
	} {
		if got := about(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
