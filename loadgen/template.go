package loadgen

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
)

// A requestTemplate is a request but for its number, as net/http writes it: vegeta makes all of a lane's alike but for that.
type requestTemplate struct{ before, after []byte }

// templateOf reads the request's body.
func templateOf(req *http.Request) (*requestTemplate, error) {
	var whole bytes.Buffer
	if err := req.Write(&whole); err != nil {
		return nil, err
	}
	name := []byte("\r\n" + seqHeader + ": ")
	before, after, found := bytes.Cut(whole.Bytes(), slices.Concat(name, []byte(req.Header.Get(seqHeader)+"\r\n")))
	if !found {
		return nil, errors.New("loadgen: the request has no " + seqHeader)
	}
	return &requestTemplate{before: slices.Concat(before, name), after: slices.Concat([]byte("\r\n"), after)}, nil
}

// number appends the request of a number.
func (f *requestTemplate) number(to []byte, seq string) []byte {
	return append(append(append(to, f.before...), seq...), f.after...)
}
