package during

import (
	"errors"
	"fmt"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/loadgen"
)

// tryURLs requests each URL once, and returns an error if no request gets through.
func (a settings) tryURLs() error {
	if a.url == "" {
		return nil
	}
	err := a.tryURL("--url", a.url, a.http)
	if err == nil && a.control != "" {
		err = a.tryURL("--control-url", a.control, a.http.OfControl())
	}
	return err
}

// tryURL requests the URL of a flag once. A bad reply is not an error: it may be good later.
func (a settings) tryURL(flag, url string, asked *loadgen.UserHTTP) error {
	_, err := asked.Request(url, a.connectTo, loadgen.DefaultTimeout)
	var none *loadgen.NoReplyError
	if !errors.As(err, &none) {
		return err
	}
	if none.Fault == evidence.Timeout && none.Opened {
		return nil
	}
	found := urlObstacle(*none)
	if found.met == "" {
		return nil
	}
	if a.proxy != "" {
		found.met += ", straight and not by the proxy of " + a.proxy
	}
	because := phrase.Printable(strings.TrimPrefix(none.Because, "loadgen: request "+url+": "))
	return usage.New(flag+"="+url, fmt.Sprintf("%s (%s)", found.met, because), found.remedy)
}
