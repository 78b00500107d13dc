package loadgen

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
)

// A requestTemplate is a request but for its number, as net/http writes it: all of a lane's are alike but for that.
type requestTemplate struct{ before, after []byte }

// templateOf reads the request's body. The request has a number.
func templateOf(req *http.Request) requestTemplate {
	var whole bytes.Buffer
	_ = req.Write(&whole) // a buffer takes all, and a URL with a host is written
	name := []byte("\r\n" + seqHeader + ": ")
	before, after, _ := bytes.Cut(whole.Bytes(), slices.Concat(name, []byte(req.Header.Get(seqHeader)+"\r\n")))
	return requestTemplate{before: slices.Concat(before, name), after: slices.Concat([]byte("\r\n"), after)}
}

// number appends the request of a number.
func (f requestTemplate) number(to []byte, seq uint64) []byte {
	return append(strconv.AppendUint(append(to, f.before...), seq, 10), f.after...)
}
