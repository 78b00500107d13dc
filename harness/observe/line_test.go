package observe

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
)

func TestParseLine(t *testing.T) {
	began := time.Unix(1000, 0)
	by := evidence.Server{Version: "v1", Pod: "p", Node: "worker"}
	at := 2*time.Second + 5
	step := func(kind evidence.EventKind, code int) line {
		return line{step: &evidence.Event{At: at, Clock: "worker", Kind: kind, By: by, Count: code}}
	}
	for _, tc := range []struct {
		sentence string
		text     string
		want     line
		readable bool
	}{
		{"a request", "A 1002000000005 worker-fresh.K 7",
			line{arrivals: []evidence.Arrival{{Lane: "worker-fresh", Seq: 7, At: at, By: by}}}, true},
		{"a request before the run began, by the node's clock", "A 999000000000 l.K 0",
			line{arrivals: []evidence.Arrival{{Lane: "l", At: -time.Second, By: by}}}, true},
		{"requests that share a line, a probe and others' among them",
			"A 1002000000005 a.K 7 1002000000005 - - 1002000000005 x abc 1002000000006 b.K 8", line{foreign: 1, arrivals: []evidence.Arrival{
				{Lane: "a", Seq: 7, At: at, By: by}, {Lane: "b", Seq: 8, At: at + 1, By: by},
			}}, true},
		{"a request without a number beside one with", "A 1002000000005 a.K 7 1002000000005 b.K", line{}, false},
		{"a probe names neither lane nor number", "A 1002000000005 - -", line{}, true},
		{"a number alone belongs to no lane", "A 1002000000005 - 7", line{}, true},
		{"the largest number", "A 1002000000005 l.K 9223372036854775807",
			line{arrivals: []evidence.Arrival{{Lane: "l", Seq: math.MaxInt64, At: at, By: by}}}, true},
		{"a lane of another recording", "A 1002000000005 worker-fresh.J 7", line{foreign: 1}, true},
		{"a lane of who does not know of suffixes", "A 1002000000005 worker-fresh 7", line{foreign: 1}, true},
		{"a suffix that is not at the end", "A 1002000000005 l.K.J 7", line{foreign: 1}, true},
		{"a suffix without a lane", "A 1002000000005 .K 7", line{foreign: 1}, true},
		{"a lane that could not be written down", "A 1002000000005 ? 7", line{foreign: 1}, true},
		{"a lane without a number", "A 1002000000005 l.K -", line{foreign: 1}, true},
		{"a number that is none", "A 1002000000005 l.K abc", line{foreign: 1}, true},
		{"a number below zero", "A 1002000000005 worker-fresh.K -7", line{foreign: 1}, true},
		{"a number that evidence has no place for", "A 1002000000005 l.K 9223372036854775808", line{foreign: 1}, true},
		{"a number that does not fit", "A 1002000000005 worker-fresh.K 18446744073709551616", line{foreign: 1}, true},
		{"the process runs", "T 1002000000005 start v1", step(evidence.PodStarted, 0), true},
		{"it listens", "T 1002000000005 listen [::]:8080", step(evidence.PodListening, 0), true},
		{"it is alive though SIGTERM came", "T 1002000000005 alive", step(evidence.PodKilled, 0), true},
		{"it waited for a processor", "T 1002000000005 waited 70",
			line{step: &evidence.Event{At: at, Clock: "worker", Kind: evidence.PodWaited, By: by, For: 70 * time.Millisecond}}, true},
		{"it waited for a time that is none", "T 1002000000005 waited long", line{}, false},
		{"SIGTERM came", "T 1002000000005 sigterm", step(evidence.PodSigterm, 0), true},
		{"it drains", "T 1002000000005 drain", step(evidence.PodDraining, 0), true},
		{"it exits with a code", "T 1002000000005 exit 143", step(evidence.PodExited, 143), true},

		{"nothing", "", line{}, false},
		{"a step nobody knows", "T 1002000000005 sigstop", line{}, false},
		{"a step without its value", "T 1002000000005 exit", line{}, false},
		{"an exit code that is none", "T 1002000000005 exit badly", line{}, false},
		{"a step with a word too many", "T 1002000000005 drain now", line{}, false},
		{"a request without a number", "A 1002000000005 worker-fresh", line{}, false},
		{"a lane without a name", "A 1002000000005  7", line{}, false},
		{"a word too many", "A 1002000000005 worker-fresh 7 8", line{}, false},
		{"a time that is none", "A soon worker-fresh 7", line{}, false},
		{"another kind of line", "B 1002000000005 worker-fresh 7", line{}, false},
		{"what a Go program says on stderr", "panic: runtime error: index out of range", line{}, false},
		{"a line in front of another", "A 1002000000005 worker-frA 1002000000006 worker-fresh 8", line{}, false},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			got, err := logFormat{began, ".K"}.parseLine(tc.text, by)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(line{})); diff != "" {
				t.Error(diff)
			}
			want := ""
			if !tc.readable {
				want = fmt.Sprintf("line %q is neither an arrival nor a step", tc.text)
			}
			if fmt.Sprint(err) != want && (err != nil || want != "") {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}
