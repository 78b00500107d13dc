package loadgen

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/evidence"
)

func someHits(n int) []evidence.Hit {
	hits := make([]evidence.Hit, n)
	for i := range hits {
		hits[i] = evidence.Hit{
			Lane: "worker-fresh", Seq: uint64(i), Due: time.Duration(i) * 5 * time.Millisecond, Sent: time.Duration(i)*5*time.Millisecond + 321,
			Took: 2 * time.Millisecond, Status: 200, By: evidence.Server{Version: "v1", Pod: fmt.Sprint("shop-v1-", i%3), Node: "worker"},
			Attempts: 1, LocalPort: 40000 + i,
		}
		if i%7 == 0 { // zero values after others, and a negative time
			hits[i] = evidence.Hit{Lane: "worker-fresh", Seq: uint64(i), Sent: -time.Second, Fault: evidence.Refused}
		}
	}
	return hits
}

func TestHitsSurviveTheWire(t *testing.T) {
	two := someHits(2*hitsPerBlock + 1)
	tests := []struct {
		sentence string
		tapes    [][]evidence.Hit
		want     []evidence.Hit
	}{
		{"no lanes", nil, nil},
		{"a lane without hits", [][]evidence.Hit{{}}, nil},
		{"two lanes, one longer than a block", [][]evidence.Hit{two, someHits(3)}, append(append([]evidence.Hit{}, two...), someHits(3)...)},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			var wire bytes.Buffer
			if err := writeHits(&wire, tt.tapes...); err != nil {
				t.Fatal(err)
			}
			got, err := readHits(&wire)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestEveryCutIsAnError cuts a download at each of its bytes.
func TestEveryCutIsAnError(t *testing.T) {
	var wire bytes.Buffer
	if err := writeHits(&wire, someHits(20), someHits(5)); err != nil {
		t.Fatal(err)
	}
	for n := range wire.Len() {
		if hits, err := readHits(bytes.NewReader(wire.Bytes()[:n])); err == nil || hits != nil {
			t.Errorf("%d of %d bytes: %d hits and error %v", n, wire.Len(), len(hits), err)
		}
	}
}

func TestDishonestStreams(t *testing.T) {
	tests := []struct {
		sentence string
		blocks   []block
		want     string
	}{
		{"no terminal record", []block{{Hits: someHits(2)}}, "after 2 hits: unexpected EOF"},
		{"nothing at all", nil, "after 0 hits: unexpected EOF"},
		{"a lost block", []block{{Hits: someHits(2)}, {Last: true, Total: 4}}, "got 2 hits of 4"},
		{"a block twice", []block{{Hits: someHits(2)}, {Hits: someHits(2)}, {Last: true, Total: 2}}, "got 4 hits of 2"},
		{"a record after the terminal one", []block{{Last: true}, {Hits: someHits(2)}}, "records after the terminal one"},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			var wire bytes.Buffer
			zip := gzip.NewWriter(&wire)
			enc := gob.NewEncoder(zip)
			for _, b := range tt.blocks {
				if err := enc.Encode(b); err != nil {
					t.Fatal(err)
				}
			}
			zip.Close()
			if _, err := readHits(&wire); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
