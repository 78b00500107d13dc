package store

import (
	"bytes"
	"example.com/rollcall/harness/evidence"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// framed returns frames as the bytes of a segment.
func framed[R any](t testing.TB, frames ...Frame[R]) []byte {
	t.Helper()
	var file bytes.Buffer
	for _, f := range frames {
		if err := WriteFrame(&file, f); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

// scanned returns the records of a segment in the order recorded.
func scanned[R any](file []byte, of recordType[R]) (records []R, err error) {
	_, _, _, err = scanSegment(bytes.NewReader(file), of, func(r R) { records = append(records, r) })
	return records, err
}

func TestASegmentNamesTheByteWhereItIsNotWhole(t *testing.T) {
	ab := Frame[evidence.Hit]{First: 0, Records: []evidence.Hit{{Lane: "a"}, {Lane: "b"}}}
	c := Frame[evidence.Hit]{First: 2, Records: []evidence.Hit{{Lane: "c"}}}
	first := len(framed(t, ab))
	at := func(cause string) string { return fmt.Sprintf("byte %d: %s", first, cause) }
	for _, tc := range []struct {
		sentence string
		file     []byte
		want     string // in the error
		records  int
	}{
		{"whole frames", framed(t, ab), at("it ends here, unfinished"), 2},
		{"an empty file", nil, "byte 0: it ends here, unfinished", 0},
		{"one that breaks off in a checksum", framed(t, ab, c)[:first+3],
			at("it is cut off in the frame that begins here, 3 bytes into it"), 2},
		{"one that breaks off in a text", framed(t, ab, c)[:first+30],
			at("it is cut off in the frame that begins here, 30 bytes into it"), 2},
		{"a frame is missing", framed(t, ab, Frame[evidence.Hit]{First: 3}), at("damaged: record 2 is next, this frame begins with 3"), 2},
		{"a frame is there twice", framed(t, ab, ab, c), at("damaged: record 2 is next, this frame begins with 0"), 2},
		{"frames changed places", framed(t, c, ab), "byte 0: damaged: record 0 is next, this frame begins with 2", 0},
		{"a record nobody can have made", framed(t, ab, Frame[evidence.Hit]{First: 2, Records: []evidence.Hit{{}, {Fault: "gremlin"}}}),
			at(`damaged: record 3: unknown fault "gremlin"`), 2},
		{"a line that is none", append(framed(t, ab), "x\n"...), at(`damaged: checksum "x", want 00000000`), 2},
		{"an empty line", append(framed(t, ab), '\n'), at(`damaged: checksum "", want 00000000`), 2},
		{"a line that is no frame", AppendLine(framed(t, ab), []byte("x")), at("damaged: invalid character"), 2},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			hits, err := scanned(tc.file, hitType())
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if len(hits) != tc.records {
				t.Errorf("%d hits, want %d", len(hits), tc.records)
			}
		})
	}
}

func TestNoBitAndNoByteOfASegmentCanBeLost(t *testing.T) {
	want := []evidence.Arrival{{Lane: "a", Seq: 1}, {Lane: "a", Seq: 2}, {Lane: "b", At: 7, By: evidence.Server{Pod: "p"}}}
	file := framed(t, Frame[evidence.Arrival]{Records: want[:2]}, Frame[evidence.Arrival]{First: 2, Records: want[2:]})
	damaged := func(file []byte, what string, i int) {
		got, err := scanned(file, arrivalType())
		if err == nil || !strings.HasPrefix(err.Error(), "byte ") || len(got) == len(want) {
			t.Errorf("%s %d: %d records, error %v", what, i, len(got), err)
		}
		if diff := cmp.Diff(want[:len(got)], append([]evidence.Arrival{}, got...)); diff != "" {
			t.Errorf("%s %d: %s", what, i, diff)
		}
	}
	for i := range file {
		damaged(file[:i], "cut at", i)
	}
	for bit := range 8 * len(file) {
		file[bit/8] ^= 1 << (bit % 8)
		damaged(file, "flipped bit", bit)
		file[bit/8] ^= 1 << (bit % 8)
	}
}

// The records of a lane come nearly in order, but a request that takes long is recorded after many that were sent later.
func TestASegmentIsReadInOrder(t *testing.T) {
	const n = 5*frameRecords + 100
	var want []evidence.Hit
	for i := range n {
		want = append(want, evidence.Hit{Lane: fmt.Sprint(i * 3 / n), Seq: uint64(i)})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, row := range []struct {
		sentence string
		moved    int // how far a record is from its place, at most
		each     int // records in a frame
	}{
		{"in order", 1, 100},
		{"nearly in order", 300, 100},
		{"in any order", n, 100},
		{"in large frames", 300, frameRecords},
		{"each in its own frame", 300, 1},
	} {
		came := slices.Clone(want)
		for part := range slices.Chunk(came, row.moved) {
			random.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		}
		var parts []Frame[evidence.Hit]
		first := 0
		for part := range slices.Chunk(came, row.each) {
			parts = append(parts, Frame[evidence.Hit]{First: first, Records: part})
			first += len(part)
		}
		file := framed(t, parts...)
		at, size, _, _ := scanSegment(bytes.NewReader(file), hitType(), func(evidence.Hit) {})
		var got []evidence.Hit
		err := readFrames(bytes.NewReader(file), size, at, hitType(), func(h evidence.Hit, _ error) bool { got = append(got, h); return true })
		if !slices.Equal(got, want) || err != nil {
			t.Errorf("%s: %d of %d hits, %v; or in another order", row.sentence, len(got), len(want), err)
		}
	}
}

// FuzzSegment: any bytes are records and one error that names the byte after them.
func FuzzSegment(f *testing.F) {
	ab := Frame[evidence.Hit]{Records: []evidence.Hit{{Lane: "a", Fault: evidence.Reset}, {Lane: "b"}}}
	f.Add(framed(f, ab, Frame[evidence.Hit]{First: 2}))
	f.Add(framed(f, ab, ab))
	f.Add(framed(f, ab)[:20])
	f.Add(framed(f, ab, Frame[evidence.Hit]{First: 2, Records: []evidence.Hit{{Status: -1}}}))
	f.Add([]byte("00000000 \n"))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, file []byte) {
		hits, err := scanned(file, hitType())
		var at int
		if _, scanErr := fmt.Sscanf(fmt.Sprint(err), "byte %d: ", &at); scanErr != nil || at < 0 || at > len(file) {
			t.Errorf("%v names no byte of %d", err, len(file))
		}
		for _, h := range hits {
			if err := h.Check(); err != nil {
				t.Error(err)
			}
		}
	})
}
