package loadgen

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
)

// A requestTemplate is a request as net/http writes it, without its number: the requests of a lane differ in nothing else.
type requestTemplate struct{ before, after []byte }

// templateOf returns the template of a request that has a number, and reads its body.
func templateOf(req *http.Request) requestTemplate {
	var whole bytes.Buffer
	_ = req.Write(&whole) // no error: it writes to a buffer, and the URL has a host
	name := []byte("\r\n" + seqHeader + ": ")
	before, after, _ := bytes.Cut(whole.Bytes(), slices.Concat(name, []byte(req.Header.Get(seqHeader)+"\r\n")))
	return requestTemplate{before: slices.Concat(before, name), after: slices.Concat([]byte("\r\n"), after)}
}

// number appends the request with a number.
func (f requestTemplate) number(to []byte, seq uint64) []byte {
	return append(strconv.AppendUint(append(to, f.before...), seq, 10), f.after...)
}
