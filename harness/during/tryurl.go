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

// tryURL requests the URL once, and returns an error if no request gets through. A bad reply is none, nor is a slow one, which is
// awaited later.
func (a settings) tryURL() error {
	if a.url == "" {
		return nil
	}
	_, err := a.http.Ask(a.url, a.connectTo, loadgen.DefaultTimeout)
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
	because := phrase.Printable(strings.TrimPrefix(none.Because, "loadgen: ask "+a.url+": "))
	return usage.New("--url="+a.url, fmt.Sprintf("%s (%s)", found.met, because), found.remedy)
}
