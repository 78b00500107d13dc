package evidence

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/parquet-go/parquet-go"
)

// hitRow is a Hit as a row of hits.parquet. Times are nanoseconds since Run.Began.
type hitRow struct {
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

// WriteHits writes hits as one parquet file, readable by DuckDB, for one.
func WriteHits(w io.Writer, hits []Hit) error {
	pw := parquet.NewGenericWriter[hitRow](w,
		parquet.KeyValueMetadata("rollcall.schema", fmt.Sprint(SchemaVersion)),
		parquet.KeyValueMetadata("rollcall.units", "due_ns, sent_ns: nanoseconds since run.json's began; took_ns: nanoseconds; one row per request"))
	rows := make([]hitRow, 0, len(hits))
	for _, h := range hits {
		rows = append(rows, hitRow{
			Lane: h.Lane, Seq: int64(h.Seq), Due: int64(h.Due), Sent: int64(h.Sent), Took: int64(h.Took),
			Status: int32(h.Status), Version: h.By.Version, Pod: h.By.Pod, Node: h.By.Node,
			Reused: h.Reused, Attempts: int32(h.Attempts), LocalPort: int32(h.LocalPort), Fault: string(h.Fault),
		})
	}
	if _, err := pw.Write(rows); err != nil {
		return err
	}
	return pw.Close()
}

// ReadHits reads what WriteHits wrote.
func ReadHits(f *os.File) (hits []Hit, err error) {
	// parquet-go panics on some damaged pages; a damaged file is an error of the file, not of the program.
	defer func() {
		if p := recover(); p != nil {
			hits, err = nil, fmt.Errorf("damaged parquet: %v", p)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return nil, err
	}
	pr := parquet.NewGenericReader[hitRow](file)
	defer pr.Close()
	rows := make([]hitRow, pr.NumRows())
	for n := 0; n < len(rows); {
		read, err := pr.Read(rows[n:])
		n += read
		if err != nil && (!errors.Is(err, io.EOF) || n < len(rows)) {
			return nil, err
		}
	}
	hits = make([]Hit, len(rows))
	for i, r := range rows {
		hits[i] = Hit{
			Lane: r.Lane, Seq: uint64(r.Seq), Due: time.Duration(r.Due), Sent: time.Duration(r.Sent), Took: time.Duration(r.Took),
			Status: int(r.Status), By: Server{Version: r.Version, Pod: r.Pod, Node: r.Node},
			Reused: r.Reused, Attempts: int(r.Attempts), LocalPort: int(r.LocalPort), Fault: Fault(r.Fault),
		}
	}
	return hits, nil
}
