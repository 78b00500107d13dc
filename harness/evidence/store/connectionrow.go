package store

import (
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
)

// A connectionRow is a Connection as written.
type connectionRow struct {
	Lane     string `parquet:"lane,dict,zstd"`
	Number   int64  `parquet:"number,delta,zstd"`
	Slot     int32  `parquet:"slot,delta,zstd"`
	Opened   int64  `parquet:"opened_ns,delta,zstd"`
	Port     int32  `parquet:"port,delta,zstd"`
	Version  string `parquet:"version,dict,zstd"`
	Pod      string `parquet:"pod,dict,zstd"`
	Node     string `parquet:"node,dict,zstd"`
	Sent     int32  `parquet:"sent,delta,zstd"`
	Answered int32  `parquet:"answered,delta,zstd"`
	InFlight int32  `parquet:"in_flight,delta,zstd"`
	Late     int32  `parquet:"late,delta,zstd"`
	Again    int32  `parquet:"again,delta,zstd"`
	Told     int64  `parquet:"told_ns,delta,zstd"`
	ToldBy   string `parquet:"told_by,dict,zstd"`
	Ended    int64  `parquet:"ended_ns,delta,zstd"`
	End      string `parquet:"end,dict,zstd"`
	Code     int32  `parquet:"code,delta,zstd"`
}

func connectionLayout() layout[evidence.Connection, connectionRow] {
	return layout[evidence.Connection, connectionRow]{
		recordType: connectionType(),
		row: func(c evidence.Connection) connectionRow {
			return connectionRow{
				Lane: c.Lane, Number: int64(c.Number), Slot: int32(c.Slot), Opened: int64(c.Opened), Port: int32(c.Port),
				Version: c.By.Version, Pod: c.By.Pod, Node: c.By.Node,
				Sent: int32(c.Sent), Answered: int32(c.Answered), InFlight: int32(c.InFlight),
				Late: int32(c.Late), Again: int32(c.Again),
				Told: int64(c.Told), ToldBy: string(c.ToldBy), Ended: int64(c.Ended), End: string(c.End), Code: int32(c.Code),
			}
		},
		columns: func() ([]column, func(int) evidence.Connection) {
			known := make(map[string]string)
			lane, toldBy, end := newWords("lane", known), newWords("told_by", known), newWords("end", known)
			version, pod, node := newWords("version", known), newWords("pod", known), newWords("node", known)
			number, slot, opened, port := newNumbers("number"), newNumbers("slot"), newNumbers("opened_ns"), newNumbers("port")
			sent, answered, inFlight := newNumbers("sent"), newNumbers("answered"), newNumbers("in_flight")
			told, ended, code := newNumbers("told_ns"), newNumbers("ended_ns"), newNumbers("code")
			late, again := newLaterNumbers("late"), newLaterNumbers("again")
			columns := []column{lane, number, slot, opened, port, version, pod, node, sent, answered, inFlight, told, toldBy, ended, end, code,
				late, again}
			return columns, func(i int) evidence.Connection {
				return evidence.Connection{
					Lane: lane.at(i), Number: uint32(number.at(i)), Slot: int(slot.at(i)), Opened: time.Duration(opened.at(i)), Port: int(port.at(i)),
					By:   evidence.Server{Version: version.at(i), Pod: pod.at(i), Node: node.at(i)},
					Sent: int(sent.at(i)), Answered: int(answered.at(i)), InFlight: int(inFlight.at(i)),
					Late: int(late.at(i)), Again: int(again.at(i)),
					Told: time.Duration(told.at(i)), ToldBy: evidence.Notice(toldBy.at(i)),
					Ended: time.Duration(ended.at(i)), End: evidence.End(end.at(i)), Code: int(code.at(i)),
				}
			}
		},
		metadata: metadata("one row per connection that a lane kept for several requests, by lane and number; opened_ns, told_ns and ended_ns: nanoseconds since run.json's began, on the clock of the lane's node"),
	}
}

func connectionType() recordType[evidence.Connection] {
	return recordType[evidence.Connection]{framelog.Connection, func(c evidence.Connection) key { return key{c.Lane, uint64(c.Number)} },
		(*evidence.Connection).Compare, evidence.Connection.Check}
}

// latest returns, of a stream that has a connection as often as something new was noted of it, the last of each.
func latest(noted evidence.Stream[evidence.Connection]) evidence.Stream[evidence.Connection] {
	return func(yield func(evidence.Connection, error) bool) {
		var last evidence.Connection
		for c, err := range noted {
			if last.Number > 0 && (err != nil || c.Lane != last.Lane || c.Number != last.Number) && !yield(last, nil) {
				return
			}
			if last = c; err != nil {
				yield(c, err)
				return
			}
		}
		if last.Number > 0 {
			yield(last, nil)
		}
	}
}
