package framelog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// frames returns what was read of a log, a frame in a line, and the error after it.
func frames(log []byte) (text string, err error) {
	for f, err := range ReadFrom(iotest.OneByteReader(bytes.NewReader(log))) {
		if err != nil {
			return text, err
		}
		text += fmt.Sprintf("%c%s\n", f.Kind, f.Text)
	}
	return text, nil
}

func TestALogIsReadUpToWhereItIsNotWhole(t *testing.T) {
	two := Append(Append(nil, Sent, []byte("7")), Hit, []byte(`{"seq":7}`))
	for _, row := range []struct {
		sentence string
		log      []byte
		want     string
		err      string
	}{
		{"whole frames", two, "s7\nh{\"seq\":7}\n", ""},
		{"an empty log", nil, "", ""},
		{"a frame without a text", Append(nil, Head, nil), "b\n", ""},
		{"one that was cut off", two[:len(two)-1], "s7\n", io.ErrUnexpectedEOF.Error()},
		{"a line that is not a frame", append(bytes.Clone(two), "x\n"...), "s7\nh{\"seq\":7}\n", `damaged: checksum "x", want 00000000`},
		{"a frame of another text", bytes.Replace(two, []byte("q\":7"), []byte("q\":8"), 1), "s7\n", "damaged: checksum "},
		{"an empty line", []byte("\n"), "", `damaged: checksum "", want 00000000`},
		{"a frame without a kind", []byte("00000000 \n"), "", "damaged: a frame without a kind"},
		{"nothing after that", append([]byte("x\n"), two...), "", `damaged: checksum "x"`},
	} {
		got, err := frames(row.log)
		if got != row.want || !strings.HasPrefix(fmt.Sprint(err), row.err) || (err == nil) != (row.err == "") {
			t.Errorf("%s: %q, %v; want %q, %s", row.sentence, got, err, row.want, row.err)
		}
	}
}

func TestNoBitAndNoByteOfALogCanBeLost(t *testing.T) {
	log := Append(Append(nil, Sent, []byte("7")), Hit, []byte(`{"seq":7}`))
	whole, _ := frames(log)
	for n := range log {
		if text, err := frames(log[:n]); !strings.HasPrefix(whole, text) || text == whole || err == nil && text != "" && text != "s7\n" {
			t.Errorf("cut at %d: %q, %v", n, text, err)
		}
	}
	for bit := range 8 * len(log) {
		log[bit/8] ^= 1 << (bit % 8)
		if text, err := frames(log); !strings.HasPrefix(whole, text) || !errors.Is(err, ErrDamaged) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("flipped bit %d: %q, %v", bit, text, err)
		}
		log[bit/8] ^= 1 << (bit % 8)
	}
}

// FuzzReadFrom: any bytes are frames that Append would have written, and at most one error, of the end.
func FuzzReadFrom(f *testing.F) {
	f.Add(Append(Append(nil, Sent, []byte("7")), Hit, []byte("{}")))
	f.Add([]byte("00000000 \n"))
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, log []byte) {
		var again []byte
		for frame, err := range ReadFrom(bytes.NewReader(log)) {
			if err != nil {
				if !errors.Is(err, ErrDamaged) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Error(err)
				}
				again = append(again, frame.Line...)
				break
			}
			again = Append(again, frame.Kind, frame.Text)
		}
		if !bytes.HasPrefix(log, again) {
			t.Errorf("read %q of %q", again, log)
		}
	})
}
