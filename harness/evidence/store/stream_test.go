package store

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

var (
	anyWord   = rapid.StringMatching(`[a-z0-9-]{0,12}`)
	anyServer = rapid.Custom(func(t *rapid.T) evidence.Server {
		return evidence.Server{Version: anyWord.Draw(t, "version"), Pod: anyWord.Draw(t, "pod"), Node: anyWord.Draw(t, "node")}
	})
	anyMoment = rapid.Map(rapid.Int64Range(-int64(time.Hour), int64(time.Hour)), func(ns int64) time.Duration { return time.Duration(ns) })

	anyHit = rapid.Custom(func(t *rapid.T) evidence.Hit {
		return evidence.Hit{
			Lane: rapid.SampledFrom([]string{"", "a", "b", "worker-fresh"}).Draw(t, "lane"),
			Seq:  rapid.OneOf(rapid.Uint64Range(0, 5), rapid.Uint64Range(0, 1<<63-1)).Draw(t, "seq"),
			Due:  anyMoment.Draw(t, "due"), Sent: anyMoment.Draw(t, "sent"), Took: time.Duration(rapid.Int64Range(0, 1<<62).Draw(t, "took")),
			Status: rapid.Int16Range(0, 999).Draw(t, "status"), By: anyServer.Draw(t, "by"),
			Reused: rapid.Bool().Draw(t, "reused"), Attempts: rapid.Int16Range(0, 3).Draw(t, "attempts"),
			LocalPort:       rapid.Uint16().Draw(t, "port"),
			Connect:         time.Duration(rapid.Int64Range(0, math.MaxInt64/1000).Draw(t, "connect")) * time.Microsecond,
			HandshakeMicros: rapid.Uint32().Draw(t, "handshake"),
			Resent:          uint32(rapid.IntRange(0, math.MaxInt32).Draw(t, "resent")),
			Connection:      rapid.Uint32().Draw(t, "connection"),
			FirstMicros:     rapid.Uint32().Draw(t, "first"), GapMicros: rapid.Uint32().Draw(t, "gap"),
			Tokens: uint32(rapid.IntRange(0, math.MaxInt32).Draw(t, "tokens")), Marked: rapid.Bool().Draw(t, "marked"),
			Fault: rapid.SampledFrom(append(evidence.Faults(), evidence.Returned, evidence.NoFault)).Draw(t, "fault"),
		}
	})
	anyArrival = rapid.Custom(func(t *rapid.T) evidence.Arrival {
		return evidence.Arrival{Lane: anyWord.Draw(t, "lane"), Seq: rapid.Uint64Range(0, 1<<63-1).Draw(t, "seq"), At: anyMoment.Draw(t, "at"),
			By: anyServer.Draw(t, "by")}
	})
	anyEvent = rapid.Custom(func(t *rapid.T) evidence.Event {
		e := evidence.Event{
			At: anyMoment.Draw(t, "at"), Clock: anyWord.Draw(t, "clock"), Kind: rapid.SampledFrom(evidence.EventKinds()).Draw(t, "kind"),
			By:     anyServer.Draw(t, "by"),
			Object: anyWord.Draw(t, "object"), Count: rapid.Int().Draw(t, "count"), Detail: rapid.String().Draw(t, "detail"),
		}
		if e.Kind == evidence.Reported {
			e.Reason, e.Message = "Killing", rapid.String().Draw(t, "message")
			e.Detail = e.Reason + ": " + e.Message
		}
		return e
	})
)

// all reads a stream and fails the test if it is not whole.
func all[R any](t interface{ Fatal(...any) }, stream evidence.Stream[R]) []R {
	records, err := stream.All()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestAStreamIsInOrderWhateverTheOrderGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hits := rapid.SliceOfN(anyHit, 0, 30).Draw(t, "hits")
		want := all(t, evidence.Hits(hits))
		if len(want) != len(hits) {
			t.Fatalf("%d hits of %d", len(want), len(hits))
		}
		var last key
		for _, h := range want {
			var err error
			if last, err = hitType().checkNext(last, h); err != nil {
				t.Fatal(err)
			}
		}
		shuffled := rapid.Permutation(slices.Clone(hits)).Draw(t, "shuffled")
		if diff := cmp.Diff(want, all(t, evidence.Hits(shuffled))); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAStreamCanBeReadAgainAndInPart(t *testing.T) {
	stream := evidence.Arrivals([]evidence.Arrival{{Lane: "b"}, {Lane: "a", Seq: 1}, {Lane: "a"}})
	for r := range stream {
		if r.Lane != "a" || r.Seq != 0 {
			t.Errorf("the first is %+v", r)
		}
		break
	}
	if got := all(t, stream); len(got) != 3 {
		t.Errorf("%d arrivals the second time", len(got))
	}
	if got := all(t, evidence.Stream[evidence.Hit](nil)); got != nil {
		t.Errorf("%d hits on a stream that was not recorded", len(got))
	}
}
