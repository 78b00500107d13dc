package store

import (
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"

	"example.com/rollcall/harness/evidence"
)

// A layout maps a record to the columns of a parquet file. W is the struct that parquet-go
// writes; columns makes new columns for every reading.
type layout[R, W any] struct {
	recordType[R]
	row      func(R) W
	columns  func() ([]column, func(i int) R) // and a function for the record of the i-th unread row
	metadata []parquet.WriterOption
}

// A hitRow is a Hit as written: times in nanoseconds since Run.Began.
type hitRow struct {
	Lane            string `parquet:"lane,dict,zstd"`
	Seq             int64  `parquet:"seq,delta,zstd"`
	Due             int64  `parquet:"due_ns,delta,zstd"`
	Sent            int64  `parquet:"sent_ns,delta,zstd"`
	Took            int64  `parquet:"took_ns,delta,zstd"`
	Status          int32  `parquet:"status,dict,zstd"`
	Version         string `parquet:"version,dict,zstd"`
	Pod             string `parquet:"pod,dict,zstd"`
	Node            string `parquet:"node,dict,zstd"`
	Reused          bool   `parquet:"reused,zstd"`
	Attempts        int32  `parquet:"attempts,dict,zstd"`
	LocalPort       int32  `parquet:"local_port,delta,zstd"`
	Fault           string `parquet:"fault,dict,zstd"`
	Connect         int64  `parquet:"connect_us,delta,zstd"`
	Resent          int32  `parquet:"resent,dict,zstd"`
	HandshakeMicros int64  `parquet:"handshake_us,delta,zstd"`
	Connection      int64  `parquet:"connection,delta,zstd"`
	FirstMicros     int64  `parquet:"first_us,delta,zstd"`
	GapMicros       int64  `parquet:"gap_us,delta,zstd"`
	Tokens          int32  `parquet:"tokens,delta,zstd"`
	Marked          bool   `parquet:"marked,zstd"`
}

func hitLayout() layout[evidence.Hit, hitRow] {
	return layout[evidence.Hit, hitRow]{
		recordType: hitType(),
		row: func(h evidence.Hit) hitRow {
			return hitRow{
				Lane: h.Lane, Seq: int64(h.Seq), Due: int64(h.Due), Sent: int64(h.Sent), Took: int64(h.Took),
				Status: int32(h.Status), Version: h.By.Version, Pod: h.By.Pod, Node: h.By.Node,
				Reused: h.Reused, Attempts: int32(h.Attempts), LocalPort: int32(h.LocalPort), Fault: string(h.Fault),
				Connect: h.Connect.Microseconds(), Resent: int32(h.Resent), HandshakeMicros: int64(h.HandshakeMicros),
				Connection: int64(h.Connection), FirstMicros: int64(h.FirstMicros), GapMicros: int64(h.GapMicros),
				Tokens: int32(h.Tokens), Marked: h.Marked,
			}
		},
		columns: func() ([]column, func(int) evidence.Hit) {
			known := make(map[string]string)
			lane, fault := newWords("lane", known), newWords("fault", known)
			version, pod, node := newWords("version", known), newWords("pod", known), newWords("node", known)
			seq, due, sent, took := newNumbers("seq"), newNumbers("due_ns"), newNumbers("sent_ns"), newNumbers("took_ns")
			status, reused, attempts, port := newNumbers("status"), newNumbers("reused"), newNumbers("attempts"), newNumbers("local_port")
			connect, resent, handshake := newLaterNumbers("connect_us"), newLaterNumbers("resent"), newLaterNumbers("handshake_us")
			connection := newLaterNumbers("connection")
			first, gap := newLaterNumbers("first_us"), newLaterNumbers("gap_us")
			tokens, marked := newLaterNumbers("tokens"), newLaterNumbers("marked")
			columns := []column{lane, seq, due, sent, took, status, version, pod, node, reused, attempts, port, fault, connect, resent,
				handshake, connection, first, gap, tokens, marked}
			return columns, func(i int) evidence.Hit {
				return evidence.Hit{
					Lane: lane.at(i), Seq: uint64(seq.at(i)),
					Due: time.Duration(due.at(i)), Sent: time.Duration(sent.at(i)), Took: time.Duration(took.at(i)),
					Status: int16(status.at(i)), By: evidence.Server{Version: version.at(i), Pod: pod.at(i), Node: node.at(i)},
					Reused: reused.at(i) != 0, Attempts: int16(attempts.at(i)), LocalPort: uint16(port.at(i)), Fault: evidence.Fault(fault.at(i)),
					Connect: time.Duration(connect.at(i)) * time.Microsecond, Resent: uint32(resent.at(i)),
					HandshakeMicros: uint32(handshake.at(i)), Connection: uint32(connection.at(i)),
					FirstMicros: uint32(first.at(i)), GapMicros: uint32(gap.at(i)), Tokens: uint32(tokens.at(i)), Marked: marked.at(i) != 0,
				}
			}
		},
		metadata: metadata("one row per request, by lane and seq; due_ns and sent_ns: nanoseconds since run.json's began, on the clock of the lane's node; took_ns: nanoseconds; connect_us, handshake_us, first_us and gap_us: microseconds"),
	}
}

// An arrivalRow is an Arrival as written.
type arrivalRow struct {
	Lane    string `parquet:"lane,dict,zstd"`
	Seq     int64  `parquet:"seq,delta,zstd"`
	At      int64  `parquet:"at_ns,delta,zstd"`
	Version string `parquet:"version,dict,zstd"`
	Pod     string `parquet:"pod,dict,zstd"`
	Node    string `parquet:"node,dict,zstd"`
}

func arrivalLayout() layout[evidence.Arrival, arrivalRow] {
	return layout[evidence.Arrival, arrivalRow]{
		recordType: arrivalType(),
		row: func(a evidence.Arrival) arrivalRow {
			return arrivalRow{Lane: a.Lane, Seq: int64(a.Seq), At: int64(a.At), Version: a.By.Version, Pod: a.By.Pod, Node: a.By.Node}
		},
		columns: func() ([]column, func(int) evidence.Arrival) {
			known := make(map[string]string)
			lane, seq, at := newWords("lane", known), newNumbers("seq"), newNumbers("at_ns")
			version, pod, node := newWords("version", known), newWords("pod", known), newWords("node", known)
			return []column{lane, seq, at, version, pod, node}, func(i int) evidence.Arrival {
				return evidence.Arrival{
					Lane: lane.at(i), Seq: uint64(seq.at(i)), At: time.Duration(at.at(i)),
					By: evidence.Server{Version: version.at(i), Pod: pod.at(i), Node: node.at(i)},
				}
			}
		},
		metadata: metadata("one row per request a pod got, by lane and seq; at_ns: nanoseconds since run.json's began, on the clock of the pod's node"),
	}
}

// A flowRow is a Flow as written.
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

func flowLayout() layout[evidence.Flow, flowRow] {
	return layout[evidence.Flow, flowRow]{
		recordType: flowType(),
		row: func(f evidence.Flow) flowRow {
			return flowRow{Node: f.Node, Seq: int64(f.Seq), At: int64(f.At), Client: f.Client, Port: int32(f.Port), To: f.To, Address: f.Address,
				Version: f.By.Version, Pod: f.By.Pod, PodNode: f.By.Node}
		},
		columns: func() ([]column, func(int) evidence.Flow) {
			known := make(map[string]string)
			node, client, to, address := newWords("node", known), newWords("client", known), newWords("to", known), newWords("address", known)
			version, pod, podNode := newWords("version", known), newWords("pod", known), newWords("pod_node", known)
			seq, at, port := newNumbers("seq"), newNumbers("at_ns"), newNumbers("port")
			return []column{node, seq, at, client, port, to, address, version, pod, podNode}, func(i int) evidence.Flow {
				return evidence.Flow{
					Node: node.at(i), Seq: uint64(seq.at(i)), At: time.Duration(at.at(i)), Client: client.at(i), Port: int(port.at(i)),
					To: to.at(i), Address: address.at(i), By: evidence.Server{Version: version.at(i), Pod: pod.at(i), Node: podNode.at(i)},
				}
			}
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
