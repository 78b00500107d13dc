package store

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

func TestEventsSurviveTheDisk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOf(anyEvent).Draw(t, "events")
		var file bytes.Buffer
		if n, err := writeEvents(&file, events); err != nil || n != len(events) {
			t.Fatal(n, err)
		}
		got, err := readEvents(&file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(inOrder(events), got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestEventsThatAreDamagedNameTheLine(t *testing.T) {
	const fine = `{"at":5,"kind":"pod-gone"}` + "\n"
	for _, tc := range []struct {
		sentence string
		file     string
		want     string // in the error; empty: none
		events   int    // that can still be read
	}{
		{"no events are whole", "", "", 0},
		{"events at the same time are in order", fine + fine, "", 2},
		{"clocks are not compared with each other", fine + `{"at":1,"clock":"worker","kind":"pod-exited"}` + "\n" + fine, "", 3},
		{"an unknown kind", fine + `{"at":6,"kind":"pod-flew"}` + "\n" + fine, `line 2: unknown event kind "pod-flew"`, 1},
		{"no kind", fine + "{}\n", `line 2: unknown event kind ""`, 1},
		{"no JSON", fine + fine + "{\"at\":\n", "line 3: not an event", 2},
		{"JSON that is not an event", fine + "[1]\n", "line 2: not an event", 1},
		{"two events on a line", fine + strings.TrimSpace(fine) + fine, "line 2: not an event", 1},
		{"an empty line", "\n" + fine, "line 1: not an event", 0},
		{"a last line that was cut off", fine + fine[:10], "line 2: it was cut off after 10 bytes", 1},
		{"a last line that lacks only its end", fine + strings.TrimSpace(fine), "line 2: it was cut off after 26 bytes", 1},
		{"a time that goes back", fine + `{"at":4,"kind":"pod-gone"}` + "\n", "line 2: at 4ns it is out of order, 1ns before", 1},
		{"a time that goes back on a node's clock",
			`{"at":9,"clock":"w","kind":"pod-exited"}` + "\n" + fine + `{"at":8,"clock":"w","kind":"pod-exited"}` + "\n",
			"line 3: at 8ns it is out of order", 2},
		{"a line without end", fine + strings.Repeat(" ", maxLine) + fine, "line 2: it is longer than 1048576 bytes", 1},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			events, err := readEvents(strings.NewReader(tc.file))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.want)) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if len(events) != tc.events {
				t.Errorf("%d events, want %d", len(events), tc.events)
			}
		})
	}
}

func TestEventsThatCouldNotBeReadAreNotWritten(t *testing.T) {
	for want, e := range map[string]evidence.Event{
		"line 2: unknown event kind":      {Kind: "pod-flew"},
		"line 2: 1048615 bytes are more ": {Kind: evidence.PodGone, Detail: strings.Repeat("x", maxLine)},
	} {
		if _, err := writeEvents(new(bytes.Buffer), []evidence.Event{{Kind: evidence.PodGone}, e}); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// FuzzEvents: any bytes are events, or one error that names a line. Without an error every line was
// one.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("{\"at\":5,\"kind\":\"pod-gone\",\"by\":{\"pod\":\"p\"}}\n{\"at\":5,\"clock\":\"w\",\"kind\":\"pod-exited\",\"count\":-1}\n"))
	f.Add([]byte("{\"at\":5,\"kind\":\"pod-gone\"}\n{\"at\":4,\"kind\":\"pod-gone\"}"))
	f.Add([]byte("{\"at\":5,\"kind\":\"pod-flew\"}\n\n"))
	f.Add([]byte("null\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > maxLine/6 {
			t.Skip("JSON may make a line six times longer")
		}
		events, err := readEvents(bytes.NewReader(file))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("%v names no line", err)
			}
			return
		}
		if lines := bytes.Count(file, []byte("\n")); len(events) != lines || lines > 0 && file[len(file)-1] != '\n' {
			t.Errorf("%d events of %d lines", len(events), lines)
		}
		var again bytes.Buffer
		if _, err := writeEvents(&again, events); err != nil {
			t.Fatal(err)
		}
		got, err := readEvents(&again)
		if diff := cmp.Diff(inOrder(events), got); err != nil || diff != "" {
			t.Errorf("%v, %s", err, diff)
		}
	})
}

func TestReasonAndMessageOfAnEventOfTheAPI(t *testing.T) {
	for _, row := range []struct{ sentence, reason string }{
		{"written with its reason", `,"reason":"Killing"`},
		{"written by an earlier build", ""},
	} {
		const detail = "Killing: Container a: restarted"
		got, err := readEvents(strings.NewReader(`{"at":5,"kind":"reported","object":"Pod/a","detail":"` + detail + `"` + row.reason + "}\n"))
		want := []evidence.Event{{At: 5, Kind: evidence.Reported, Object: "Pod/a", Detail: detail, Reason: "Killing",
			Message: "Container a: restarted"}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", row.sentence, err, diff)
		}
	}
}
