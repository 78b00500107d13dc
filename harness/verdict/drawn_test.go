package verdict_test

import (
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// Every rule can pass, fail and be inconclusive, and the order in which events were noted changes no finding, nor does JSON.
func TestDrawnRecordings(t *testing.T) {
	seen := map[string]map[verdict.Outcome]int{}
	for seed := range uint64(120) {
		ev := draw(seed)
		v := judge(t, ev)
		for _, f := range v.Findings {
			if seen[f.Rule] == nil {
				seen[f.Rule] = map[verdict.Outcome]int{}
			}
			seen[f.Rule][f.Outcome]++
		}
		if diff := cmp.Diff(v, throughJSON(t, v)); diff != "" {
			t.Errorf("recording %d (-verdict +its JSON):\n%s", seed, diff)
		}
		drawing{seed: seed}.random("order of events").Shuffle(len(ev.Events), func(i, j int) { ev.Events[i], ev.Events[j] = ev.Events[j], ev.Events[i] })
		if again := judge(t, ev); again.Outcome != v.Outcome || again.Because != v.Because {
			t.Errorf("recording %d is %s (%s), and with its events in another order %s (%s)", seed, v.Outcome, v.Because, again.Outcome,
				again.Because)
		}
	}
	for _, rule := range verdict.Rules() {
		can := []verdict.Outcome{verdict.Pass, verdict.Fail, verdict.Inconclusive}
		if rule.Precondition || slices.Contains([]string{"noted", "full-rate", "sent-in-maintenance"}, rule.ID) {
			can = slices.DeleteFunc(can, func(o verdict.Outcome) bool { return o == verdict.Fail })
		}
		for _, outcome := range can {
			if seen[rule.ID][outcome] == 0 {
				t.Errorf("%s is never %s: %v", rule.ID, outcome, seen[rule.ID])
			}
		}
	}
}

func throughJSON(t *testing.T, v verdict.Verdict) (read verdict.Verdict) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// A drawing is a random recording of at most 12 s that is being made, with an expectation of every rule.
type drawing struct {
	recording
	seed                     uint64
	begun, done, gone, ended int                      // in ms: the rollout began, was done, its last old pod was gone, the load ended
	recreate                 bool                     // old pods end before new ones begin
	offset                   map[string]time.Duration // of the clocks of nodes
	pods                     []drawnPod
}

// draw returns a random recording. The drawers of what rules are about are beside the rows of TestRules.
func draw(seed uint64) recording {
	d := &drawing{seed: seed}
	d.drawRun()
	d.drawPods()
	d.drawNodes()
	d.drawRecorders()
	d.drawRequests()
	d.drawConnections()
	for _, rules := range []func(*drawing) []evidence.Expectation{
		drawRequestRules, drawLatencyRules, drawDamageRules, drawReplyRules, drawOutageRules, drawVersionRules, drawLagRules, drawPodRules,
		drawStepRules, drawAnswerRules, drawConnectionRules,
	} {
		d.Run.Expect = append(d.Run.Expect, rules(d)...)
	}
	return d.recording
}

func (d *drawing) add(e evidence.Event) { d.Events = append(d.Events, e) }

// random returns the random numbers of a part of the drawing, which are its own: what one part picks changes no other.
func (d drawing) random(part string) random {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], d.seed)
	copy(seed[8:], part)
	return random{rand.New(rand.NewChaCha8(seed))}
}

type random struct{ *rand.Rand }

// pick returns a number from 0 to below n.
func (r random) pick(n int) int { return r.IntN(max(1, n)) }

func (r random) chance(percent int) bool { return r.pick(100) < percent }

// at returns a time between two, in ms.
func (r random) at(from, to int) time.Duration { return time.Duration(from+r.pick(to-from)) * ms }

// lasts returns a duration of up to 2 s.
func (r random) lasts() time.Duration { return time.Duration(1+r.pick(2000)) * ms }
