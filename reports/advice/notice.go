package advice

import "example.com/rollcall/harness/evidence"

// A notice is how a server that is to end tells its clients so, by the means of a protocol.
type notice struct {
	word string // what clients read
	do   string // what has to be done after SIGTERM, in a clause without its subject
}

// notices has a row for each protocol.
var notices = map[evidence.Protocol]notice{
	evidence.HTTP:      {"Connection: close", "answer with Connection: close from SIGTERM on, and go on serving for a while"},
	evidence.SSE:       {"an end mark", "await its streams after SIGTERM, or end each between two tokens, with its end mark"},
	evidence.H2C:       {"GOAWAY", "say GOAWAY after SIGTERM, and serve on until its clients are gone"},
	evidence.H2:        {"GOAWAY", "say GOAWAY after SIGTERM, and serve on until its clients are gone"},
	evidence.WebSocket: {"1001", "close each WebSocket with 1001 after SIGTERM, and serve on until its clients are gone"},
	evidence.GRPC:      {"GOAWAY", "say GOAWAY after SIGTERM, and await its RPCs for a limited time (GracefulStop, then Stop)"},
	evidence.GRPCStream: {"GOAWAY",
		"say GOAWAY after SIGTERM, and await its streams for a limited time (GracefulStop, then Stop)"},
}

// noticeBy returns the row of a protocol. A later build may have recorded one that has none.
func noticeBy(p evidence.Protocol) notice {
	if row, known := notices[p]; known {
		return row
	}
	return notice{"so", "tell its clients to go after SIGTERM, and serve on until they are gone"}
}

// notice returns the row of the protocol of the requests that the advice being given is about. A user's app is asked by one.
func (a *advisedApp) notice() notice {
	for _, lane := range a.s.Lanes {
		if lane.ID == a.mended[0].Hits[0].Lane {
			return noticeBy(lane.Kind().Protocol)
		}
	}
	return noticeBy(evidence.HTTP)
}
