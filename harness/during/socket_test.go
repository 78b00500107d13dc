package during

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/rollcall/harness/usage"
)

// serving returns a server in a folder of its own, whose path is short or long.
func serving(t *testing.T, ends bool, under string) *server {
	t.Helper()
	folder := filepath.Join(t.TempDir(), under)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := serve(folder, ends, &screen{terminal: io.Discard, log: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// told sends a request and returns why the server rejects it; empty if it accepts it.
func told(t *testing.T, s *server, verb, text string) string {
	t.Helper()
	answer, err := call(t.Context(), s.folder, verb, text)
	var refused *usage.Error
	switch {
	case errors.As(err, &refused):
		return refused.Reason
	case err != nil:
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
	return ""
}

func TestWhatARecorderAnswers(t *testing.T) {
	const (
		before = iota
		steady
		over
	)
	long := strings.Repeat("x", longestMark+1)
	for _, row := range []struct {
		sentence string
		when     int
		ends     bool // the end may be requested
		verb     string
		text     string
		refused  string // the reason; empty: it is accepted
	}{
		{"a mark is noted while the load is steady", steady, true, markVerb, "drain worker2", ""},
		{"a recording of a command takes marks too", steady, false, markVerb, "drain worker2", ""},
		{"a mark before the load is steady is rejected", before, true, markVerb, "drain worker2", "the load is not steady yet"},
		{"so is one after the maintenance", over, true, markVerb, "drain worker2", "the maintenance is over"},
		{"an empty mark says nothing", steady, true, markVerb, " ", "it says nothing"},
		{"a mark that is too long is rejected", steady, true, markVerb, long, "it is longer than 200 bytes"},
		{"the load is steady", steady, true, steadyVerb, "", ""},
		{"the load is not steady yet", before, true, steadyVerb, "", "the load is not steady yet"},
		{"after the maintenance the load was steady", over, true, steadyVerb, "", ""},
		{"the end before the load is steady is rejected", before, true, endVerb, "", "the load is not steady yet"},
		{"so is the end of a recording of a command", steady, false, endVerb, "", "it ends with its command"},
		{"an unknown path is rejected", steady, true, "sing", "", "404 page not found"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			s := serving(t, row.ends, "")
			var marks []string
			if row.when != before {
				s.steadyNow(func(text string) { marks = append(marks, text) })
			}
			if row.when == over {
				s.endedNow()
			}
			if got := told(t, s, row.verb, row.text); got != row.refused {
				t.Errorf("refused with %q, want %q", got, row.refused)
			}
			if err := s.close(0); err != nil {
				t.Error(err)
			}
			if noted := len(marks) == 1 && marks[0] == "drain worker2"; noted != (row.refused == "" && row.verb == markVerb) {
				t.Errorf("marks %q", marks)
			}
		})
	}
}

// Whoever asks for the end of a recording that has ended by itself gets no answer, once its recorder has ended.
func TestTheEndOfARecordingThatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{ends: true, over: make(chan struct{})}
		s.steadyNow(func(string) {})
		s.endedNow()
		answered := make(chan any, 1)
		go func() {
			defer func() { answered <- recover() }()
			s.handleEnd(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/"+endVerb, nil))
		}()
		synctest.Wait()
		if len(answered) > 0 {
			t.Error("it is answered before")
		}
		close(s.over)
		if how, _ := (<-answered).(error); !errors.Is(how, http.ErrAbortHandler) {
			t.Errorf("it is answered: %v", how)
		}
	})
}

func TestTheEndIsSaidOnce(t *testing.T) {
	s := serving(t, true, strings.Repeat("long/", 30))
	s.steadyNow(func(string) {})
	answer, err := call(t.Context(), s.folder, endVerb, "")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	<-s.end
	if got := told(t, s, endVerb, ""); got != "its end was requested already" {
		t.Errorf("the second time it answers %q", got)
	}
	closed := make(chan error)
	go func() {
		s.screen.say("all is done")
		closed <- s.close(1)
	}()
	said, err := io.ReadAll(answer.Body)
	if code := answer.Trailer.Get(codeTrailer); string(said) != "all is done\n" || code != "1" || err != nil {
		t.Errorf("it says %q and in the end %q, %v", said, code, err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(s.folder, socketFile)); err == nil {
		t.Error("the socket is left behind")
	}
	if _, err := call(t.Context(), s.folder, steadyVerb, ""); !errors.Is(err, errNoRecorder) {
		t.Errorf("afterwards: %v", err)
	}
}

func TestMarksOfARecordingThatIsNotThere(t *testing.T) {
	gone := t.TempDir()
	for _, row := range []struct{ sentence, run, text, says string }{
		{"no recording at all", "", "reboot", "rollcall during mark: nothing is being recorded: begin it: rollcall during begin"},
		{"a recorder that is gone", gone, "reboot", "rollcall during mark: the recorder of " + gone +
			" is gone: rollcall during end judges what it recorded"},
		{"no text", gone, " ", "rollcall during mark: it says nothing: write what is about to be done"},
		{"two lines", gone, "reboot\nnow", "rollcall during mark: it has more than one line: "},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Setenv("ARTIFACTS", t.TempDir())
			t.Setenv(RunVariable, row.run)
			if err := Mark(row.text); !usage.Is(err) || !strings.HasPrefix(err.Error(), row.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %s", err, row.says)
			}
		})
	}
	s := serving(t, true, "")
	s.steadyNow(func(string) {})
	t.Setenv(RunVariable, s.folder)
	if err := Mark("reboot"); err != nil {
		t.Error(err)
	}
	if err := s.close(0); err != nil {
		t.Error(err)
	}
}
