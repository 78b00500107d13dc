package store

import (
	"rollcall/harness/evidence"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
)

// A layout says how a record lies in the columns of a parquet file: row is the struct that parquet-go writes, and columns
// are what reading fills a record from.
type layout[R, W any] struct {
	recordType[R]
	row      func(R) W
	columns  []column[R]
	metadata []parquet.WriterOption
}

// A hitRow is a Hit as it is written: times in nanoseconds since Run.Began.
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
	Connect   int64  `parquet:"connect_us,delta,zstd"`
	Resent    int32  `parquet:"resent,dict,zstd"`
	Handshake int64  `parquet:"handshake_us,delta,zstd"`
}

// hitLayout is that of hits.parquet.
func hitLayout() layout[evidence.Hit, hitRow] {
	return layout[evidence.Hit, hitRow]{
		recordType: hitType(),
		row: func(h evidence.Hit) hitRow {
			return hitRow{
				Lane: h.Lane, Seq: int64(h.Seq), Due: int64(h.Due), Sent: int64(h.Sent), Took: int64(h.Took),
				Status: int32(h.Status), Version: h.By.Version, Pod: h.By.Pod, Node: h.By.Node,
				Reused: h.Reused, Attempts: h.Attempts, LocalPort: int32(h.LocalPort), Fault: string(h.Fault),
				Connect: h.Connect.Microseconds(), Resent: int32(h.Resent), Handshake: int64(h.HandshakeMicros),
			}
		},
		columns: []column[evidence.Hit]{
			word("lane", func(h *evidence.Hit, s string) { h.Lane = s }),
			number("seq", func(h *evidence.Hit, n int64) { h.Seq = uint64(n) }),
			number("due_ns", func(h *evidence.Hit, n int64) { h.Due = time.Duration(n) }),
			number("sent_ns", func(h *evidence.Hit, n int64) { h.Sent = time.Duration(n) }),
			number("took_ns", func(h *evidence.Hit, n int64) { h.Took = time.Duration(n) }),
			number("status", func(h *evidence.Hit, n int64) { h.Status = int(n) }),
			word("version", func(h *evidence.Hit, s string) { h.By.Version = s }),
			word("pod", func(h *evidence.Hit, s string) { h.By.Pod = s }),
			word("node", func(h *evidence.Hit, s string) { h.By.Node = s }),
			number("reused", func(h *evidence.Hit, n int64) { h.Reused = n != 0 }),
			number("attempts", func(h *evidence.Hit, n int64) { h.Attempts = int32(n) }),
			number("local_port", func(h *evidence.Hit, n int64) { h.LocalPort = int(n) }),
			word("fault", func(h *evidence.Hit, s string) { h.Fault = evidence.Fault(s) }),
			laterNumber("connect_us", func(h *evidence.Hit, n int64) { h.Connect = time.Duration(n) * time.Microsecond }),
			laterNumber("resent", func(h *evidence.Hit, n int64) { h.Resent = uint32(n) }),
			laterNumber("handshake_us", func(h *evidence.Hit, n int64) { h.HandshakeMicros = uint32(n) }),
		},
		metadata: metadata("one row per request, by lane and seq; due_ns and sent_ns: nanoseconds since run.json's began, on the clock of the lane's node; took_ns: nanoseconds; connect_us and handshake_us: microseconds"),
	}
}

// An arrivalRow is an Arrival as it is written: the time in nanoseconds since Run.Began.
type arrivalRow struct {
	Lane    string `parquet:"lane,dict,zstd"`
	Seq     int64  `parquet:"seq,delta,zstd"`
	At      int64  `parquet:"at_ns,delta,zstd"`
	Version string `parquet:"version,dict,zstd"`
	Pod     string `parquet:"pod,dict,zstd"`
	Node    string `parquet:"node,dict,zstd"`
}

// arrivalLayout is that of arrivals.parquet.
func arrivalLayout() layout[evidence.Arrival, arrivalRow] {
	return layout[evidence.Arrival, arrivalRow]{
		recordType: arrivalType(),
		row: func(a evidence.Arrival) arrivalRow {
			return arrivalRow{Lane: a.Lane, Seq: int64(a.Seq), At: int64(a.At), Version: a.By.Version, Pod: a.By.Pod, Node: a.By.Node}
		},
		columns: []column[evidence.Arrival]{
			word("lane", func(a *evidence.Arrival, s string) { a.Lane = s }),
			number("seq", func(a *evidence.Arrival, n int64) { a.Seq = uint64(n) }),
			number("at_ns", func(a *evidence.Arrival, n int64) { a.At = time.Duration(n) }),
			word("version", func(a *evidence.Arrival, s string) { a.By.Version = s }),
			word("pod", func(a *evidence.Arrival, s string) { a.By.Pod = s }),
			word("node", func(a *evidence.Arrival, s string) { a.By.Node = s }),
		},
		metadata: metadata("one row per request a pod got, by lane and seq; at_ns: nanoseconds since run.json's began, on the clock of the pod's node"),
	}
}

// A flowRow is a Flow as it is written: the time in nanoseconds since Run.Began.
type flowRow struct {
	Node    string `parquet:"node,dict,zstd"`
	Seq     int64  `parquet:"seq,delta,zstd"`
	At      int64  `parquet:"at_ns,delta,zstd"`
	Client  string `parquet:"client,dict,zstd"`
	Port    int32  `parquet:"port,delta,zstd"`
	To      string `parquet:"to,dict,zstd"`
	Address string `parquet:"address,dict,zstd"`
	Version string `parquet:"version,dict,zstd"`
	Pod     string `parquet:"pod,dict,zstd"`
	PodNode string `parquet:"pod_node,dict,zstd"`
}

// flowLayout is that of flows.parquet.
func flowLayout() layout[evidence.Flow, flowRow] {
	return layout[evidence.Flow, flowRow]{
		recordType: flowType(),
		row: func(f evidence.Flow) flowRow {
			return flowRow{Node: f.Node, Seq: int64(f.Seq), At: int64(f.At), Client: f.Client, Port: int32(f.Port), To: f.To, Address: f.Address,
				Version: f.By.Version, Pod: f.By.Pod, PodNode: f.By.Node}
		},
		columns: []column[evidence.Flow]{
			word("node", func(f *evidence.Flow, s string) { f.Node = s }),
			number("seq", func(f *evidence.Flow, n int64) { f.Seq = uint64(n) }),
			number("at_ns", func(f *evidence.Flow, n int64) { f.At = time.Duration(n) }),
			word("client", func(f *evidence.Flow, s string) { f.Client = s }),
			number("port", func(f *evidence.Flow, n int64) { f.Port = int(n) }),
			word("to", func(f *evidence.Flow, s string) { f.To = s }),
			word("address", func(f *evidence.Flow, s string) { f.Address = s }),
			word("version", func(f *evidence.Flow, s string) { f.By.Version = s }),
			word("pod", func(f *evidence.Flow, s string) { f.By.Pod = s }),
			word("pod_node", func(f *evidence.Flow, s string) { f.By.Node = s }),
		},
		metadata: metadata("one row per connection that a node routed to the app, by node and seq; at_ns: nanoseconds since run.json's began, on the clock of the node"),
	}
}

func metadata(units string) []parquet.WriterOption {
	return []parquet.WriterOption{
		parquet.KeyValueMetadata("rollcall.schema", strconv.Itoa(evidence.SchemaVersion)),
		parquet.KeyValueMetadata("rollcall.units", units),
	}
}
