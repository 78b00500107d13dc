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

// Hits returns the hits so far, in the order in which they were added. The attack must be none of an [Agent].
func (a *Attack) Hits() []evidence.Hit {
	a.client.buffer.mu.Lock()
	defer a.client.buffer.mu.Unlock()
	return slices.Clone(a.client.buffer.hits)
}

// write writes a batch as a frame.
func (b batch) write(w io.Writer) error {
	if len(b.spooled) > 0 {
		return store.WriteFrame(w, store.Frame[json.RawMessage]{First: b.first, Records: b.spooled, End: b.end})
	}
	return store.WriteFrame(w, store.Frame[evidence.Hit]{First: b.first, Records: b.hits, End: b.end})
}

// HitsOfLanes returns the hits of each lane from number n on, in the order in which they were added, and whether no more will come:
// one frame per lane in the order of lanes, or none. Hits are numbered from 0, nearly but not exactly in the order of their sequence
// numbers. A frame is bounded: unless it is the end, it may leave hits for the next call. Hits below n are forgotten, since the caller
// has them: to ask for one of them again is an error, and so is a number beyond the hits so far. After an error it may be repeated
// with the same numbers.
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

// readFrames reads frames that begin at the given hits. A reply that ends early or goes on after them is an error, without frames.
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

// hitsOfLane returns hits of a lane; status is that of the reply if there is an error.
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
