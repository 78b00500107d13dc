package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
)

// logged returns records as a log.
func logged[R any](of recordType[R], records ...R) (log []byte) {
	for _, r := range records {
		log = of.appendTo(log, r)
	}
	return log
}

// scanned returns the records of a segment in the order recorded.
func scanned[R any](file []byte, of recordType[R]) (records []R, err error) {
	_, _, err = scanSegment(bytes.NewReader(file), of, func(r R) { records = append(records, r) })
	return records, err
}

func TestASegmentNamesTheByteWhereItIsNotWhole(t *testing.T) {
	ab, c := logged(hitType(), evidence.Hit{Lane: "a"}, evidence.Hit{Lane: "b"}), logged(hitType(), evidence.Hit{Lane: "c"})
	at := func(log []byte, cause string) string { return fmt.Sprintf("byte %d: %s", len(log), cause) }
	sent := framelog.Append(bytes.Clone(ab), framelog.Sent, []byte("7"))
	for _, tc := range []struct {
		sentence string
		file     []byte
		want     string // in the error
		records  int
	}{
		{"whole frames", ab, at(ab, "it ends here, unfinished"), 2},
		{"an empty file", nil, "byte 0: it ends here, unfinished", 0},
		{"what an agent logs besides", sent, at(sent, "it ends here, unfinished"), 2},
		{"one that breaks off in a checksum", slices.Concat(ab, c[:3]),
			at(ab, "it is cut off in the frame that begins here, 3 bytes into it"), 2},
		{"one that breaks off in a text", slices.Concat(ab, c[:30]), at(ab, "it is cut off in the frame that begins here, 30 bytes into it"), 2},
		{"a record nobody can have made", slices.Concat(ab, logged(hitType(), evidence.Hit{Fault: "gremlin"})),
			at(ab, `damaged: unknown fault "gremlin"`), 2},
		{"a line that is none", slices.Concat(ab, []byte("x\n")), at(ab, `damaged: checksum "x", want 00000000`), 2},
		{"a record that is not JSON", framelog.Append(bytes.Clone(ab), framelog.Hit, []byte("x")), at(ab, "damaged: invalid character"), 2},
		{"a record of another file", slices.Concat(ab, logged(arrivalType(), evidence.Arrival{})), at(ab, "damaged: a frame of kind 'a'"), 2},
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
	file := logged(arrivalType(), want...)
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
	const n = 5*mostWaiting + 100
	var want []evidence.Hit
	for i := range n {
		want = append(want, evidence.Hit{Lane: fmt.Sprint(i * 3 / n), Seq: uint64(i)})
	}
	random := rand.New(rand.NewPCG(1, 2))
	bySent := func(of recordType[evidence.Hit], hits ...evidence.Hit) (log []byte) {
		for _, h := range hits {
			log = of.appendTo(framelog.Append(log, framelog.Sent, []byte("1")), h)
		}
		return log
	}
	for _, row := range []struct {
		sentence string
		moved    int // how far a record is from its place, at most
		each     int // records that are written at once
		log      func(recordType[evidence.Hit], ...evidence.Hit) []byte
	}{
		{"in order", 1, 100, logged[evidence.Hit]},
		{"nearly in order", 300, 100, logged[evidence.Hit]},
		{"in any order", n, 100, logged[evidence.Hit]},
		{"many at once", 300, mostWaiting, logged[evidence.Hit]},
		{"each by itself", 300, 1, logged[evidence.Hit]},
		{"as an agent logs", 300, 100, bySent},
	} {
		came := slices.Clone(want)
		for part := range slices.Chunk(came, row.moved) {
			random.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		}
		var file []byte
		for part := range slices.Chunk(came, row.each) {
			file = append(file, row.log(hitType(), part...)...)
		}
		found, count, _ := scanSegment(bytes.NewReader(file), hitType(), func(evidence.Hit) {})
		var got []evidence.Hit
		err := readExtents(bytes.NewReader(file), found, hitType(), func(h evidence.Hit, _ error) bool { got = append(got, h); return true })
		if !slices.Equal(got, want) || count != n || err != nil {
			t.Errorf("%s: %d of %d hits, %v; or in another order", row.sentence, len(got), len(want), err)
		}
	}
}

// FuzzSegment: any bytes are records and one error that names the byte after them.
func FuzzSegment(f *testing.F) {
	ab := logged(hitType(), evidence.Hit{Lane: "a", Fault: evidence.Reset}, evidence.Hit{Lane: "b"})
	f.Add(ab)
	f.Add(ab[:20])
	f.Add(slices.Concat(ab, logged(hitType(), evidence.Hit{Status: -1})))
	f.Add(framelog.Append(bytes.Clone(ab), framelog.Sent, []byte("7")))
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
