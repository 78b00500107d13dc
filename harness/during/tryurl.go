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
	err := a.tryURL("--url", a.laneTo(a.url, a.connectTo), a.http)
	if err == nil && a.control != "" {
		err = a.tryURL("--control-url", asking{}.laneTo(a.control, a.connectTo), a.http.OfControl())
	}
	return err
}

// tryURL requests the target of a flag once. A bad reply is not an error: it may be good later.
func (a settings) tryURL(flag string, lane evidence.Lane, asked *loadgen.UserHTTP) error {
	url := lane.Target
	_, err := asked.RequestOn(lane, loadgen.DefaultTimeout)
	var none *loadgen.NoReplyError
	if !errors.As(err, &none) {
		return err
	}
	if none.Fault == evidence.Timeout && none.Opened && !none.Endless {
		return nil
	}
	found := urlObstacle(*none)
	if found.met == "" {
		return nil
	}
	if a.proxy != "" {
		found.met += ", straight and not by the proxy of " + a.proxy
	}
	if because := phrase.Printable(strings.TrimPrefix(none.Because, "loadgen: request "+url+": ")); because != found.met {
		found.met += fmt.Sprintf(" (%s)", because)
	}
	return usage.New(flag+"="+url, found.met, found.remedy)
}
