package loadgen

import (
	"bufio"
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
	"example.com/rollcall/harness/evidence/store"
)

// HitsFrom gives the hits from number n on, in the order they were kept, and whether no more will come. The attack has no spool. A lane's
// hits are numbered from 0, in an order that is near that of their sequence numbers but not the same. A frame
// is bounded: one that is not the end may leave hits for the next call. Numbers below n are forgotten: whoever
// asks has them. To ask for one of them again is an error, and so is a number beyond what was kept.
func (a *Attack) HitsFrom(n int) (store.Frame[evidence.Hit], error) {
	some, err := a.client.buffer.from(n)
	if err != nil {
		err = fmt.Errorf("loadgen: read hits of lane %s from %d: %w", a.client.lane.ID, n, err)
	}
	return store.Frame[evidence.Hit]{First: some.first, Records: some.hits, End: some.end}, err
}

// write writes a batch as a frame.
func (b batch) write(w io.Writer) error {
	if len(b.spooled) > 0 {
		return store.WriteFrame(w, store.Frame[json.RawMessage]{First: b.first, Records: b.spooled, End: b.end})
	}
	return store.WriteFrame(w, store.Frame[evidence.Hit]{First: b.first, Records: b.hits, End: b.end})
}

// HitsOfLanes gives the hits of each lane from a number on, as [Attack.HitsFrom] does: a frame of each, in the order asked, or none at
// all. After an error it may be repeated with the same numbers.
func (r Remote) HitsOfLanes(ctx context.Context, lanes []string, from []int) (frames []store.Frame[evidence.Hit], err error) {
	query := url.Values{"lane": lanes}
	for _, n := range from {
		query.Add("from", strconv.Itoa(n))
	}
	err = r.call(ctx, "hits?"+query.Encode(), http.MethodGet, nil, func(body io.Reader) (err error) {
		frames, err = readFrames(body, from)
		return err
	})
	return frames, err
}

// readFrames reads a reply of frames, which begin at these hits: a reply that stops early or goes on after them is
// an error, and then there are none.
func readFrames(body io.Reader, from []int) (frames []store.Frame[evidence.Hit], err error) {
	in := bufio.NewReader(body)
	for _, n := range from {
		frame, _, err := store.ReadFrame[evidence.Hit](in)
		switch {
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case frame.First != n:
			return nil, fmt.Errorf("the frame begins at hit %d, not %d", frame.First, n)
		}
		frames = append(frames, frame)
	}
	switch _, err := in.ReadByte(); {
	case err == nil:
		return nil, errors.New("the reply goes on after its frames")
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return frames, nil
}

// hits serves GET /v1/hits.
func (a *Agent) hits(w http.ResponseWriter, r *http.Request) {
	attacks := a.started()
	if attacks == nil {
		http.Error(w, "not started", http.StatusConflict)
		return
	}
	query := r.URL.Query()
	lanes, from := query["lane"], query["from"]
	if len(lanes) == 0 || len(lanes) != len(from) {
		http.Error(w, fmt.Sprintf("%d lanes from %d numbers on", len(lanes), len(from)), http.StatusBadRequest)
		return
	}
	a.asked(time.Now())
	var batches []batch
	for i, lane := range lanes {
		some, status, err := hitsOfLane(attacks, lane, from[i])
		if err != nil {
			http.Error(w, err.Error(), status)
			return
		}
		batches = append(batches, some)
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	for _, some := range batches {
		if err := some.write(w); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// hitsOfLane is what was asked of a lane; the status is that of the error.
func hitsOfLane(attacks []*Attack, lane, from string) (some batch, status int, err error) {
	n, err := strconv.Atoi(from)
	if err != nil || n < 0 {
		return some, http.StatusBadRequest, fmt.Errorf("from=%q is no number of a hit", from)
	}
	i := slices.IndexFunc(attacks, func(a *Attack) bool { return a.client.lane.ID == lane })
	if i < 0 {
		return some, http.StatusNotFound, fmt.Errorf("no lane %q", lane)
	}
	some, err = attacks[i].client.buffer.from(n)
	switch {
	case errors.Is(err, errForgotten):
		return some, http.StatusGone, err
	case errors.Is(err, errSpool):
		return some, http.StatusInternalServerError, err
	}
	return some, http.StatusRequestedRangeNotSatisfiable, err
}
