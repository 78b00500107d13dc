package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

// lax returns a layout that accepts every record.
func lax[R, W any](l layout[R, W]) layout[R, W] {
	l.key = func(R) key { return key{} }
	l.check = func(R) error { return nil }
	return l
}

func writeStream[R, W any](t interface{ Fatal(...any) }, path string, stream evidence.Stream[R], l layout[R, W]) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := writeParquet(f, stream, l); err != nil {
		t.Fatal(err)
	}
}

// inTurn returns a stream of records in the order given.
func inTurn[R any](records []R) evidence.Stream[R] {
	return func(yield func(R, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func TestHitsAndArrivalsSurviveParquet(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		hits := evidence.Hits(rapid.SliceOfN(anyHit, 0, 50).Draw(t, "hits"))
		writeStream(t, filepath.Join(dir, evidence.HitsFile), hits, hitLayout())
		if diff := cmp.Diff(all(t, hits),
			all(t, parquetStream(filepath.Join(dir, evidence.HitsFile), len(all(t, hits)), hitLayout()))); diff != "" {
			t.Fatal(diff)
		}
		arrivals := evidence.Arrivals(rapid.SliceOfN(anyArrival, 0, 50).Draw(t, "arrivals"))
		writeStream(t, filepath.Join(dir, evidence.ArrivalsFile), arrivals, arrivalLayout())
		if diff := cmp.Diff(all(t, arrivals),
			all(t, parquetStream(filepath.Join(dir, evidence.ArrivalsFile), len(all(t, arrivals)), arrivalLayout()))); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestRowGroupsAndPagesDoNotShow(t *testing.T) {
	hits := typicalRun(rowGroup + rowGroup/3)
	path := filepath.Join(t.TempDir(), evidence.HitsFile)
	writeStream(t, path, evidence.Hits(hits), hitLayout())
	if got, want := all(t, parquetStream(path, len(hits), hitLayout())), all(t, evidence.Hits(hits)); !slices.Equal(got, want) {
		t.Errorf("%d hits are not the %d written", len(got), len(want))
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file, err := openParquet(f)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(file.RowGroups()); n != 2 {
		t.Errorf("%d row groups, want 2", n)
	}
	if per := float64(file.Size()) / float64(len(hits)); per > 8 {
		t.Errorf("%.2f bytes per hit, want at most 8", per)
	}
}

func TestReadingAHitCostsNoAllocation(t *testing.T) {
	hits := typicalRun(20_000)
	path := filepath.Join(t.TempDir(), evidence.HitsFile)
	writeStream(t, path, evidence.Hits(hits), hitLayout())
	stream := parquetStream(path, len(hits), hitLayout())
	allocs := testing.AllocsPerRun(3, func() {
		for range stream {
		}
	})
	if allocs > float64(len(hits))/10 {
		t.Errorf("%.0f allocations for %d hits", allocs, len(hits))
	}
}

func TestAConsumersPanicIsItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), evidence.HitsFile)
	writeStream(t, path, evidence.Hits([]evidence.Hit{{}}), hitLayout())
	defer func() {
		if p := recover(); p != "mine" {
			t.Errorf("it became %v", p)
		}
	}()
	for range parquetStream(path, 1, hitLayout()) {
		panic("mine")
	}
}

func TestAParquetFileThatIsNoStreamNamesFileAndRow(t *testing.T) {
	var fine, other []evidence.Hit
	for i := range 10 {
		fine = append(fine, evidence.Hit{Lane: "a", Seq: uint64(i)})
		other = append(other, evidence.Hit{Lane: "b", Seq: uint64(i)})
	}
	with := func(change func(*evidence.Hit)) []evidence.Hit {
		hits := slices.Clone(fine)
		change(&hits[7])
		return hits
	}
	for _, tc := range []struct {
		sentence string
		hits     []evidence.Hit
		count    int
		want     string
		rows     int // before the error
	}{
		{"a number that goes back", with(func(h *evidence.Hit) { h.Seq = 3 }), 10, "row 7: it is out of order: sort by lane, seq", 7},
		{"a lane that goes back", append(slices.Clone(other), fine...), 20, "row 10: it is out of order: sort by lane, seq", 10},
		{"a number beyond what the file can hold", with(func(h *evidence.Hit) { h.Seq = 1 << 63 }), 10,
			"row 7: seq 9223372036854775808 is out of range", 7},
		{"a request that took less than nothing", with(func(h *evidence.Hit) { h.Took = -time.Second }), 10, "row 7: it took -1000000000 ns", 7},
		{"a status that is none", with(func(h *evidence.Hit) { h.Status = 1000 }), 10, "row 7: status 1000 is out of range", 7},
		{"a negative status", with(func(h *evidence.Hit) { h.Status = -1 }), 10, "row 7: status -1", 7},
		{"fewer than no connections", with(func(h *evidence.Hit) { h.Attempts = -2 }), 10, "row 7: -2 attempts", 7},
		{"an unknown fault", with(func(h *evidence.Hit) { h.Fault = "gremlin" }), 10, `row 7: unknown fault "gremlin"`, 7},
		{"fewer rows than were recorded", fine, 11, "row 10: there are no more rows, run.json says 11", 10},
		{"more rows than were recorded", fine, 9, "row 10: there are no more rows, run.json says 9", 10},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), evidence.HitsFile)
			writeStream(t, path, inTurn(tc.hits), lax(hitLayout()))
			hits, err := parquetStream(path, tc.count, hitLayout()).All()
			if err == nil || !strings.HasPrefix(err.Error(), evidence.HitsFile+": "+tc.want) {
				t.Errorf("error %v, want %s: %s", err, evidence.HitsFile, tc.want)
			}
			if diff := cmp.Diff(tc.hits[:tc.rows], hits); diff != "" {
				t.Error(diff)
			}
			if _, err := writeParquet(new(counter), inTurn(tc.hits), hitLayout()); tc.count == len(tc.hits) &&
				(err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("it was written, with error %v", err)
			}
		})
	}
}

func TestAParquetFileOfSomethingElseSaysSo(t *testing.T) {
	type plain struct {
		Lane string `parquet:"lane,dict,zstd"`
		Seq  int64  `parquet:"seq,zstd"`
		At   int64  `parquet:"at_ns,zstd"`
		Pod  string `parquet:"pod,dict,zstd"`
		Node string `parquet:"node,dict,zstd"`
	}
	type counted struct {
		plain
		Version int64 `parquet:"version,zstd"`
	}
	type spelled struct {
		Lane string `parquet:"lane,zstd"`
	}
	type snappy struct {
		Lane string `parquet:"lane,dict,snappy"`
	}
	for _, tc := range []struct {
		sentence string
		write    func(path string) error
		want     string
	}{
		{"a column is missing", func(path string) error { return parquet.WriteFile(path, []plain{{}}) }, "there is no column version"},
		{"a column has another type", func(path string) error { return parquet.WriteFile(path, []counted{{}}) },
			"column version: it is stored as INT64"},
		{"strings without a dictionary", func(path string) error { return parquet.WriteFile(path, []spelled{{}}) },
			"column lane: it has no dictionary"},
		{"another compression", func(path string) error { return parquet.WriteFile(path, []snappy{{}}) }, "it is compressed with SNAPPY"},
		{"an empty file", func(path string) error { return os.WriteFile(path, nil, 0o644) }, "its 0 bytes do not end as a parquet file does"},
		{"text", func(path string) error { return os.WriteFile(path, []byte("lane,seq\na,1\n"), 0o644) }, "its 13 bytes do not end"},
		{"a footer longer than the file", func(path string) error { return os.WriteFile(path, []byte("PAR1\xff\xff\xff\xffPAR1"), 0o644) },
			"a footer of 4294967295 bytes in a file of 12"},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o755) }, ""},
		{"nothing", func(string) error { return nil }, "no such file"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), evidence.ArrivalsFile)
			if err := tc.write(path); err != nil {
				t.Fatal(err)
			}
			arrivals, err := parquetStream(path, 0, arrivalLayout()).All()
			if err == nil || !strings.HasPrefix(err.Error(), evidence.ArrivalsFile+": row 0: "+tc.want) || len(arrivals) > 0 {
				t.Errorf("%d arrivals, error %v, want %s: row 0: %s", len(arrivals), err, evidence.ArrivalsFile, tc.want)
			}
		})
	}
}

// A column that was added later is zero in older files, in all their row groups.
func TestFilesOfEarlierBuildsLackLaterColumns(t *testing.T) {
	type earlierRow struct {
		Lane      string `parquet:"lane,dict,zstd"`
		Seq       int64  `parquet:"seq,delta,zstd"`
		Due       int64  `parquet:"due_ns,delta,zstd"`
		Sent      int64  `parquet:"sent_ns,delta,zstd"`
		Took      int64  `parquet:"took_ns,delta,zstd"`
		Status    int32  `parquet:"status,dict,zstd"`
		Version   string `parquet:"version,dict,zstd"`
		Pod       string `parquet:"pod,dict,zstd"`
		Node      string `parquet:"node,dict,zstd"`
		Reused    bool   `parquet:"reused,zstd"`
		Attempts  int32  `parquet:"attempts,dict,zstd"`
		LocalPort int32  `parquet:"local_port,delta,zstd"`
		Fault     string `parquet:"fault,dict,zstd"`
	}
	hits := typicalRun(rowGroup + rowGroup/3)
	path := filepath.Join(t.TempDir(), evidence.HitsFile)
	today := hitLayout()
	writeStream(t, path, evidence.Hits(hits), layout[evidence.Hit, earlierRow]{
		recordType: today.recordType, metadata: today.metadata,
		row: func(h evidence.Hit) earlierRow {
			r := today.row(h)
			return earlierRow{r.Lane, r.Seq, r.Due, r.Sent, r.Took, r.Status, r.Version, r.Pod, r.Node, r.Reused, r.Attempts, r.LocalPort, r.Fault}
		},
	})
	want := all(t, evidence.Hits(hits))
	for i := range want {
		want[i].Connect, want[i].Resent = 0, 0
	}
	if got := all(t, parquetStream(path, len(hits), hitLayout())); !slices.Equal(got, want) {
		t.Errorf("%d hits are not the %d written", len(got), len(want))
	}
}
