package loadgen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"rollcall/harness/evidence"
)

// Since gives the hits from number n on, in the order they were kept, and whether no more will come. A lane's
// hits are numbered from 0, in an order that is near that of their sequence numbers but not the same. A frame
// is bounded: one that is not the end may leave hits for the next call. Numbers below n are forgotten: whoever
// asks has them. To ask for one of them again is an error, and so is a number beyond what was kept.
func (a *Attack) Since(n int) (evidence.Frame[evidence.Hit], error) {
	frame, err := a.client.tape.since(n)
	if err != nil {
		return frame, fmt.Errorf("loadgen: read hits of lane %s from %d: %w", a.client.lane.ID, n, err)
	}
	return frame, nil
}

// Since gives the hits of a lane from number n on, as [Attack.Since] does. After an error it may be repeated
// with the same number.
func (r Remote) Since(ctx context.Context, lane string, n int) (frame evidence.Frame[evidence.Hit], err error) {
	name := "hits?lane=" + url.QueryEscape(lane) + "&from=" + strconv.Itoa(n)
	err = r.call(ctx, name, http.MethodGet, nil, func(body io.Reader) (err error) {
		frame, err = readOnly(body)
		if err == nil && frame.First != n {
			err = fmt.Errorf("the frame begins at hit %d, not %d", frame.First, n)
		}
		return err
	})
	if err != nil {
		return evidence.Frame[evidence.Hit]{}, err
	}
	return frame, nil
}

// readOnly reads the only frame of a reply: a reply that stops early or goes on after it is an error.
func readOnly(body io.Reader) (evidence.Frame[evidence.Hit], error) {
	frame, err := evidence.ReadFrame[evidence.Hit](body)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return frame, err
	}
	switch n, err := io.ReadFull(body, make([]byte, 1)); {
	case n > 0:
		return frame, errors.New("the reply goes on after its frame")
	case !errors.Is(err, io.EOF):
		return frame, err
	}
	return frame, nil
}

// hits serves GET /v1/hits.
func (a *Agent) hits(w http.ResponseWriter, r *http.Request) {
	attacks := a.started()
	if attacks == nil {
		http.Error(w, "not started", http.StatusConflict)
		return
	}
	query := r.URL.Query()
	from, err := strconv.Atoi(query.Get("from"))
	if err != nil || from < 0 {
		http.Error(w, fmt.Sprintf("from=%q is no number of a hit", query.Get("from")), http.StatusBadRequest)
		return
	}
	lane := query.Get("lane")
	i := slices.IndexFunc(attacks, func(a *Attack) bool { return a.client.lane.ID == lane })
	if i < 0 {
		http.Error(w, fmt.Sprintf("no lane %q", lane), http.StatusNotFound)
		return
	}
	frame, err := attacks[i].client.tape.since(from)
	switch {
	case errors.Is(err, errForgotten):
		http.Error(w, err.Error(), http.StatusGone)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusRequestedRangeNotSatisfiable)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if err := evidence.WriteFrame(w, frame); err != nil {
		panic(http.ErrAbortHandler)
	}
}
