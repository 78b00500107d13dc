package advice

import "example.com/rollcall/harness/evidence"

// A telling is how a server that is to end tells its clients so, by the means of a protocol.
type telling struct {
	word string // what clients read
	do   string // what has to be done after SIGTERM, in a clause without its subject
}

// tellings has a row for each protocol.
var tellings = map[evidence.Protocol]telling{
	evidence.HTTP:      {"Connection: close", "answer with Connection: close from SIGTERM on, and go on serving for a while"},
	evidence.SSE:       {"an end mark", "await its streams after SIGTERM, or end each between two tokens, with its end mark"},
	evidence.H2C:       {"GOAWAY", "say GOAWAY after SIGTERM, and serve on until its clients are gone"},
	evidence.H2:        {"GOAWAY", "say GOAWAY after SIGTERM, and serve on until its clients are gone"},
	evidence.WebSocket: {"1001", "close each WebSocket with 1001 after SIGTERM, and serve on until its clients are gone"},
	evidence.GRPC:      {"GOAWAY", "say GOAWAY after SIGTERM, and await its RPCs for a limited time (GracefulStop, then Stop)"},
	evidence.GRPCStream: {"GOAWAY",
		"say GOAWAY after SIGTERM, and await its streams for a limited time (GracefulStop, then Stop)"},
}

// tellingBy returns the row of a protocol. A later build may have recorded one that has none.
func tellingBy(p evidence.Protocol) telling {
	if row, known := tellings[p]; known {
		return row
	}
	return telling{"so", "tell its clients to go after SIGTERM, and serve on until they are gone"}
}

// telling returns the row of the protocol of the requests that the advice being given is about. A user's app is asked by one.
func (a *advisedApp) telling() telling {
	for _, lane := range a.s.Lanes {
		if lane.ID == a.mended[0].Hits[0].Lane {
			return tellingBy(lane.Kind().Protocol)
		}
	}
	return tellingBy(evidence.HTTP)
}
