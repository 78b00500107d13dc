package loadgen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
)

// Hits returns the hits so far, in the order in which they were added. The attack must be none of an [Agent].
func (a *Attack) Hits() (hits []evidence.Hit) {
	a.client.buffer.mu.Lock()
	defer a.client.buffer.mu.Unlock()
	for _, record := range a.client.buffer.records {
		if record.frames == nil {
			hits = append(hits, record.hit)
		}
	}
	return hits
}

// A Range is a part of the log of a lane. It is sent as its log and, in one frame more, the rest but for the records.
type Range struct {
	Log         []byte                `json:"-"` // whole frames
	Hits        []evidence.Hit        `json:"-"` // that a Remote found in them
	Connections []evidence.Connection `json:"-"` // that it found there, each as often as something was new of it
	Events      []evidence.Event      `json:"-"` // that it found there, by the agent's own clock
	From        int64                 `json:"from"`
	Next        int64                 `json:"next"`          // position after it
	End         bool                  `json:"end,omitempty"` // nothing follows
}

// HitsOfLanes returns the log of each lane from a position on, which is 0 or the Next of an earlier range: one range per lane in the
// order of lanes, or none. Hits are nearly but not exactly in the order of their sequence numbers. A range is bounded: unless it is
// the end, it may leave frames for the next call. What is before the position is forgotten, since the caller has it: to ask for that
// again is an error, and so is a position beyond the log. After an error it may be repeated with the same positions.
func (r Remote) HitsOfLanes(ctx context.Context, lanes []string, from []int64) (ranges []Range, err error) {
	query := url.Values{"lane": lanes}
	for _, at := range from {
		query.Add("from", strconv.FormatInt(at, 10))
	}
	err = r.call(ctx, "hits?"+query.Encode(), http.MethodGet, nil, func(body io.Reader) (err error) {
		ranges, err = readRanges(body, from)
		return err
	})
	return ranges, err
}

// readRanges reads the ranges from the given positions on. A reply that ends early or goes on after them is an error, without ranges.
func readRanges(body io.Reader, from []int64) (ranges []Range, err error) {
	var r Range
	for f, err := range framelog.ReadFrom(body) {
		switch {
		case len(ranges) == len(from):
			err = errors.New("the reply goes on after its ranges")
		case err != nil:
		case f.Kind == framelog.End:
			err = json.Unmarshal(f.Text, &r)
			if want := from[len(ranges)]; err == nil && r.From != want {
				err = fmt.Errorf("the range begins at %d, not %d", r.From, want)
			}
			ranges, r = append(ranges, r), Range{}
		default:
			switch f.Kind { //nolint:exhaustive // the rest is the agent's own
			case framelog.Hit:
				r.Hits, err = appendDecoded(r.Hits, f.Text)
			case framelog.Connection:
				r.Connections, err = appendDecoded(r.Connections, f.Text)
			case framelog.Event:
				r.Events, err = appendDecoded(r.Events, f.Text)
			}
			r.Log = append(r.Log, f.Line...)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(ranges) < len(from) {
		return nil, io.ErrUnexpectedEOF
	}
	return ranges, nil
}

func appendDecoded[R any](to []R, text []byte) ([]R, error) {
	to = append(to, *new(R))
	return to, json.Unmarshal(text, &to[len(to)-1])
}

// hits serves GET /v4/hits.
func (a *Agent) hits(w http.ResponseWriter, r *http.Request) {
	attacks := a.started()
	if attacks == nil {
		http.Error(w, "not started", http.StatusConflict)
		return
	}
	query := r.URL.Query()
	lanes, from := query["lane"], query["from"]
	if len(lanes) == 0 || len(lanes) != len(from) {
		http.Error(w, fmt.Sprintf("%d lanes from %d positions on", len(lanes), len(from)), http.StatusBadRequest)
		return
	}
	a.asked(time.Now())
	var reply []byte
	for i, lane := range lanes {
		some, status, err := rangeOfLane(attacks, lane, from[i])
		if err != nil {
			http.Error(w, err.Error(), status)
			return
		}
		reply = some.appendTo(reply)
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if _, err := w.Write(reply); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// appendTo appends the range to a reply.
func (r Range) appendTo(reply []byte) []byte {
	end, _ := json.Marshal(r) // it can always be encoded
	return framelog.Append(append(reply, r.Log...), framelog.End, end)
}

// rangeOfLane returns a range of a lane's log; status is that of the reply if there is an error.
func rangeOfLane(attacks []*Attack, lane, from string) (some Range, status int, err error) {
	at, err := strconv.ParseInt(from, 10, 64)
	if err != nil || at < 0 {
		return some, http.StatusBadRequest, fmt.Errorf("from=%q is not a position", from)
	}
	i := slices.IndexFunc(attacks, func(a *Attack) bool { return a.client.lane.ID == lane })
	if i < 0 {
		return some, http.StatusNotFound, fmt.Errorf("no lane %q", lane)
	}
	some, err = attacks[i].client.buffer.from(at)
	switch {
	case errors.Is(err, errForgotten):
		return some, http.StatusGone, err
	case errors.Is(err, errSpool):
		return some, http.StatusInternalServerError, err
	}
	return some, http.StatusRequestedRangeNotSatisfiable, err
}
