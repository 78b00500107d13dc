package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// typicalRun returns n hits, recorded by eight lanes in turn, four with a connection per request: a
// pacer that is up to a millisecond late, replies in about one, from three pods and then from three
// others, ports that only a fresh lane changes. Hits arrives in order of completion.
func typicalRun(n int) []evidence.Hit {
	const lanes = 8
	random := rand.New(rand.NewPCG(1, 2))
	rates := []int{100, 200, 500, 1000}
	ports := make([]int, lanes)
	hits := make([]evidence.Hit, 0, n)
	for i := range n {
		lane, seq := i%lanes, i/lanes
		period := time.Second / time.Duration(rates[lane%len(rates)])
		due := 2*time.Second + time.Duration(lane)*1234567 + time.Duration(seq)*period
		late := time.Duration(random.ExpFloat64() * float64(300*time.Microsecond))
		took := 700*time.Microsecond + time.Duration(random.ExpFloat64()*float64(400*time.Microsecond))
		version := 1
		if random.IntN(n) < i {
			version = 2
		}
		pod := random.IntN(3)
		h := evidence.Hit{
			Lane: fmt.Sprintf("worker%d-%s", lane/2, []evidence.Conn{evidence.Fresh, evidence.Reused}[lane%2]), Seq: uint64(seq),
			Due: due, Sent: due + late, Took: took, Status: 200, Attempts: 1,
			By: evidence.Server{Version: fmt.Sprintf("v%d", version), Pod: fmt.Sprintf("echo-v%d-7d4f8b9c5-x%dk2p", version, pod),
				Node: fmt.Sprintf("rollcall-worker%d", pod%2)},
		}
		if lane%2 == 0 {
			ports[lane] += 2 * (1 + random.IntN(8))
			h.Connect = (took / 3).Truncate(time.Microsecond)
		} else {
			h.Reused = seq > 0
		}
		h.LocalPort = uint16(32768 + ports[lane]%28232)
		if random.IntN(1000) == 0 {
			h.By, h.Status, h.Fault = evidence.Server{}, 0, evidence.Faults()[random.IntN(4)]
		}
		hits = append(hits, h)
	}
	// A request that took longer is noted after the next.
	for i := lanes; i < n; i += 5 * lanes {
		hits[i], hits[i-lanes] = hits[i-lanes], hits[i]
	}
	return hits
}

const million = 1_000_000

func typicalArrivals(hits []evidence.Hit) []evidence.Arrival {
	var arrivals []evidence.Arrival
	for _, h := range hits {
		if h.By.Pod != "" {
			arrivals = append(arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent + h.Took/2, By: h.By})
		}
	}
	return arrivals
}

func BenchmarkSortHits(b *testing.B) {
	hits := typicalRun(million)
	for b.Loop() {
		evidence.Hits(hits)
	}
	perRecord(b, len(hits))
}

func BenchmarkWriteHits(b *testing.B) {
	benchmarkWrite(b, evidence.Hits(typicalRun(million)), hitLayout())
}

func BenchmarkReadHits(b *testing.B) {
	benchmarkRead(b, evidence.Hits(typicalRun(million)), hitLayout())
}

func BenchmarkWriteArrivals(b *testing.B) {
	benchmarkWrite(b, evidence.Arrivals(typicalArrivals(typicalRun(million))), arrivalLayout())
}

func BenchmarkReadArrivals(b *testing.B) {
	benchmarkRead(b, evidence.Arrivals(typicalArrivals(typicalRun(million))), arrivalLayout())
}

// BenchmarkRecord measures a hit from its recording to the finished folder.
func BenchmarkRecord(b *testing.B) {
	hits := typicalRun(million / 10)
	for n := 0; b.Loop(); n++ {
		r, err := Record(filepath.Join(b.TempDir(), fmt.Sprint(n)), evidence.Run{})
		if err != nil {
			b.Fatal(err)
		}
		r.Hits(hits...)
		if err := r.Finish(evidence.Run{}); err != nil {
			b.Fatal(err)
		}
	}
	perRecord(b, len(hits))
}

// BenchmarkKilled reads a recording that was cut off. heap-MB is the most memory of objects while it is read.
func BenchmarkKilled(b *testing.B) {
	for _, n := range []int{million / 10, million} {
		b.Run(fmt.Sprintf("hits=%d", n), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "run")
			r, err := Record(dir, evidence.Run{})
			if err != nil {
				b.Fatal(err)
			}
			for hits := range slices.Chunk(typicalRun(n), 1000) {
				r.Hits(hits...)
			}
			r.Abort()
			most := uint64(0)
			for b.Loop() {
				ev, err := Read(dir)
				if err != nil {
					b.Fatal(err)
				}
				records := 0
				for _, err := range ev.Hits {
					if err != nil {
						b.Fatal(err)
					}
					if records++; records%10_000 == 0 {
						heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
						metrics.Read(heap)
						most = max(most, heap[0].Value.Uint64())
					}
				}
			}
			b.ReportMetric(float64(most)/1e6, "heap-MB")
			perRecord(b, n)
		})
	}
}

func benchmarkWrite[R, W any](b *testing.B, stream evidence.Stream[R], l layout[R, W]) {
	b.ReportAllocs()
	rows, size := 0, new(counter)
	for b.Loop() {
		*size = 0
		var err error
		if rows, err = writeParquet(size, stream, l); err != nil {
			b.Fatal(err)
		}
	}
	perRecord(b, rows)
	b.ReportMetric(float64(*size)/float64(rows), "bytes/record")
}

func benchmarkRead[R, W any](b *testing.B, stream evidence.Stream[R], l layout[R, W]) {
	path := filepath.Join(b.TempDir(), "stream.parquet")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	want, err := writeParquet(f, stream, l)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		rows := 0
		for _, err := range parquetStream(path, want, l) {
			if err != nil {
				b.Fatal(err)
			}
			rows++
		}
		if rows != want {
			b.Fatalf("%d rows, want %d", rows, want)
		}
	}
	perRecord(b, want)
}

func perRecord(b *testing.B, records int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(records), "ns/record")
}
