package reports_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// pairFolder is a run folder with two scenarios that pass: the one in iptables mode is for tests to spoil, and the one in nftables mode has
// to stay as it is.
func pairFolder(t *testing.T) string {
	t.Helper()
	dir := emptyFolder(t)
	for _, mode := range []string{"iptables", "nftables"} {
		writeJSON(t, filepath.Join(dir, "evidence", mode, evidence.ClusterFile), evidence.Cluster{Name: "rollcall-" + mode, Mode: mode})
		record(t, dir, drained(mode))
	}
	return dir
}

func drained(mode string) recording {
	return followed(rollout(mode, "rollout", "drained", 1, []evidence.Expectation{verdict.NoFailures()}))
}

const drainedFolder = "evidence/iptables/rollout/drained"

// A spoiling damages a folder.
type spoiling func(t *testing.T, folder string)

func writing(name, text string) spoiling {
	return editing(name, func([]byte) []byte { return []byte(text) })
}

func removing(name string) spoiling {
	return func(t *testing.T, folder string) {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func editing(name string, edit func([]byte) []byte) spoiling {
	return func(t *testing.T, folder string) {
		t.Helper()
		path := filepath.Join(folder, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, edit(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// sealing edits a stream as if it had been recorded so: run.json has its new checksum.
func sealing(name string, edit func([]byte) []byte) spoiling {
	return func(t *testing.T, folder string) {
		t.Helper()
		editing(name, edit)(t, folder)
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		var run evidence.Run
		if err := store.ReadJSON(filepath.Join(folder, evidence.RunFile), &run); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		run.Files[slices.IndexFunc(run.Files, func(f evidence.File) bool { return f.Name == name })].SHA256 = hex.EncodeToString(sum[:])
		writeJSON(t, filepath.Join(folder, evidence.RunFile), run)
	}
}

// recordingAgain replaces a recording by an edited one.
func recordingAgain(edit func(*recording)) spoiling {
	return func(t *testing.T, folder string) {
		t.Helper()
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		r := drained("iptables")
		edit(&r)
		if err := store.Write(folder, r.evidence()); err != nil {
			t.Fatal(err)
		}
	}
}

// cuttingOff leaves what a process leaves that dies while it records.
func cuttingOff(t *testing.T, folder string) {
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	r := drained("iptables")
	recorder, err := store.Record(folder, r.run)
	if err != nil {
		t.Fatal(err)
	}
	recorder.Hits(r.hits[:7]...)
	recorder.Abort()
}

func half(data []byte) []byte { return data[:len(data)/2] }

func bitFlipped(data []byte) []byte {
	flipped := bytes.Clone(data)
	flipped[len(data)/3] ^= 0x10
	return flipped
}

func swapped(data []byte) []byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	lines[2], lines[3] = lines[3], lines[2]
	return bytes.Join(lines, nil)
}

func TestASpoiltScenarioIsInconclusiveAndTheOthersAreNot(t *testing.T) {
	intact, err := reports.Load(pairFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence string
		spoil    spoiling
		because  []string
	}{
		{"hits cut short", editing("hits.parquet", half), []string{"hits.parquet: byte ", "cut off after it was recorded"}},
		{"arrivals cut short", editing("arrivals.parquet", half), []string{"arrivals.parquet: byte ", "cut off after it was recorded"}},
		{"a bit of the hits is another", editing("hits.parquet", bitFlipped), []string{"hits.parquet: ", "changed after it was recorded"}},
		{"a bit of the arrivals is another", editing("arrivals.parquet", bitFlipped),
			[]string{"arrivals.parquet: ", "changed after it was recorded"}},
		{"no hits", removing("hits.parquet"), []string{"hits.parquet: no such file"}},
		{"no arrivals, though they were recorded", removing("arrivals.parquet"), []string{"arrivals.parquet: no such file"}},
		{"events cut short", writing("events.jsonl", `{"at":1,"kind":"load-b`), []string{"events.jsonl: line 1: it was cut off"}},
		{"events out of order", sealing("events.jsonl", swapped), []string{"events.jsonl: line 4: ", "out of order"}},
		{"an event of an unknown kind", sealing("events.jsonl", func(data []byte) []byte {
			return bytes.Replace(data, []byte("status-done"), []byte("status-gone"), 1)
		}), []string{"events.jsonl: line ", `unknown event kind "status-gone"`}},
		{"a number used twice", recordingAgain(func(r *recording) { r.hits[8].Seq = 7 }),
			[]string{`hits.parquet: lane "worker-fresh": seq 7 repeats a sequence number`}},
		{"a lane without hits", recordingAgain(func(r *recording) {
			r.hits = slices.DeleteFunc(r.hits, func(h evidence.Hit) bool { return h.Lane == "host-reused" })
			r.arrivals = slices.DeleteFunc(r.arrivals, func(a evidence.Arrival) bool { return a.Lane == "host-reused" })
		}), []string{`hits.parquet: lane "host-reused" has 0 hits`}},
		{"a hit from before the run began", recordingAgain(func(r *recording) { r.hits[0].Due, r.hits[0].Sent = -5*ms, -5*ms }),
			[]string{`hits.parquet: lane "worker-fresh": seq 0 has a time before the run began`}},
		{"an event from before the run began", recordingAgain(func(r *recording) { r.events[0].At = -time.Second }),
			[]string{"events.jsonl: line 1: pod-ready is 1s before the run began"}},
		{"a recording that was cut off", cuttingOff, []string{"run.json: the recording was cut off", "7 hits"}},

		{"no run.json", removing("run.json"), []string{drainedFolder + "/run.json: no such file", "record it again"}},
		{"half a run.json", editing("run.json", half), []string{drainedFolder + "/run.json: byte ", "record it again"}},
		{"a scenario by a newer build", writing("run.json", `{"schema":99}`),
			[]string{drainedFolder + "/run.json: ", "schema 99", "use a newer Rollcall"}},
		{"a scenario moved elsewhere",
			writing("run.json", `{"schema":4,"mode":"iptables","suite":"rollout","scenario":"an\nother","attempt":1,"skipped":"x"}`),
			[]string{drainedFolder + "/run.json: it is attempt 1 of iptables/rollout/an other, the folder says otherwise: move it back"}},
		{"an attempt in the folder of another",
			writing("run.json", `{"schema":4,"mode":"iptables","suite":"rollout","scenario":"drained","attempt":2,"skipped":"x"}`),
			[]string{drainedFolder + "/run.json: it is attempt 2 of iptables/rollout/drained, the folder says otherwise: move it back"}},
		{"lanes of one name", recordingAgain(func(r *recording) { r.run.Lanes[1].ID = "worker-fresh" }),
			[]string{drainedFolder + "/run.json: ", `lane id "worker-fresh" is empty or used twice`, "record it again"}},
		{"a folder of something else", func(t *testing.T, folder string) {
			if err := os.RemoveAll(folder); err != nil {
				t.Fatal(err)
			}
			writeJSON(t, filepath.Join(folder, "notes.json"), "hello")
		}, []string{drainedFolder + "/run.json: no such file"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := pairFolder(t)
			row.spoil(t, filepath.Join(dir, filepath.FromSlash(drainedFolder)))
			r, err := reports.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			spoilt := r.Scenarios[0]
			type place struct {
				Mode, Suite, ID, Evidence string
				Attempts                  int
				Outcome                   verdict.Outcome
			}
			if diff := cmp.Diff(place{"iptables", "rollout", "drained", drainedFolder, 1, verdict.Inconclusive},
				place{spoilt.Mode, spoilt.Suite, spoilt.ID, spoilt.Evidence, spoilt.Attempts, spoilt.Outcome}); diff != "" {
				t.Errorf("scenario (-want +got):\n%s", diff)
			}
			for _, part := range row.because {
				if !strings.Contains(spoilt.Because, part) {
					t.Errorf("because %q does not say %q", spoilt.Because, part)
				}
			}
			if strings.Contains(spoilt.Because, "\n") || strings.Contains(spoilt.Because, dir) {
				t.Errorf("because takes more than a line, or names a folder of this machine: %q", spoilt.Because)
			}
			if len(spoilt.Rules) > 0 && len(spoilt.Distrust) == 0 {
				t.Error("it was judged without a reason for distrust")
			}
			if diff := cmp.Diff(intact.Scenarios[1:], r.Scenarios[1:]); diff != "" {
				t.Errorf("the others (-want +got):\n%s", diff)
			}
			if len(r.Run.Broken) > 0 || r.Summary.Inconclusive != 1 || r.Summary.Pass != 1 {
				t.Errorf("broken %q, summary %+v", r.Run.Broken, r.Summary)
			}
			if code := model.ExitCode(r); code != 3 {
				t.Errorf("exit code %d, want 3", code)
			}
		})
	}
}

func TestASpoiltClusterBreaksTheRunAndItsScenariosAreJudged(t *testing.T) {
	const file = "evidence/iptables/cluster.json"
	for _, row := range []struct {
		sentence string
		spoil    spoiling
		broken   []string
	}{
		{"no cluster", removing("cluster.json"), []string{file + ": no such file", "record the mode again"}},
		{"half a cluster", writing("cluster.json", `{"mode":"ipta`), []string{file + ": byte ", "record the mode again"}},
		{"a cluster of another mode", writing("cluster.json", `{"mode":"ipvs"}`),
			[]string{file + `: mode "ipvs" in the folder of mode "iptables": move it back`}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := pairFolder(t)
			row.spoil(t, filepath.Join(dir, "evidence", "iptables"))
			r, err := reports.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			broken := strings.Join(r.Run.Broken, "\n")
			for _, part := range row.broken {
				if !strings.Contains(broken, part) {
					t.Errorf("broken %q does not say %q", broken, part)
				}
			}
			if len(r.Run.Broken) != 1 || strings.Contains(broken, "\n") || strings.Contains(broken, dir) {
				t.Errorf("broken takes more than a line, or names a folder of this machine: %q", broken)
			}
			unknown := evidence.Cluster{Mode: "iptables", Features: []evidence.Feature{}}
			if diff := cmp.Diff(unknown, r.Clusters[0]); diff != "" {
				t.Errorf("cluster (-want +got):\n%s", diff)
			}
			if r.Summary.Pass != 2 || model.ExitCode(r) != 3 {
				t.Errorf("%d scenarios passed, exit code %d", r.Summary.Pass, model.ExitCode(r))
			}
		})
	}
}

func TestAFolderWithoutASessionIsAnErrorOfOneLine(t *testing.T) {
	for _, row := range []struct {
		sentence string
		spoil    spoiling
		reason   string
	}{
		{"a folder of something else", removing("session.json"), "not a run folder"},
		{"half a session", writing("session.json", `{"schema":1,`), "unexpected end of JSON input"},
		{"a session by a newer build", writing("session.json", `{"schema":99}`), "schema 99, this build reads up to 4: use a newer Rollcall"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := pairFolder(t)
			row.spoil(t, filepath.Join(dir, "evidence"))
			_, err := reports.Load(dir)
			if err == nil {
				t.Fatal("it was loaded")
			}
			for _, part := range []string{dir, "evidence/session.json", row.reason} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error takes more than a line: %q", err)
			}
		})
	}
}
