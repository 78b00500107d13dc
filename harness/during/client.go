package during

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/usage"
)

// RunVariable is the environment variable that gives a command, and its children, the run folder.
const RunVariable = "ROLLCALL_RUN"

// linkName is a symbolic link beside run folders, to the folder of the recording that is under way, or has ended without anybody
// learning its result.
const linkName = "during"

// current returns the folder that the link leads to; empty if there is none.
func current(root string) (string, error) {
	folder, err := filepath.EvalSymlinks(filepath.Join(root, linkName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return folder, err
}

// find returns the run folder that a verb of the command line is for.
func find(verb string) (string, error) {
	if folder := os.Getenv(RunVariable); folder != "" {
		return folder, nil
	}
	home, err := layout.Find()
	if err != nil {
		return "", err
	}
	folder, err := current(home.Runs())
	if err == nil && folder == "" {
		err = usage.New("rollcall during "+verb, "nothing is being recorded", "begin it: rollcall during begin, or rollcall during -- COMMAND")
	}
	return folder, err
}

// Mark adds a mark to the recording under way: the maintenance has reached a step, now.
func Mark(text string) error {
	if err := checkMark(text); err != nil {
		return usage.New("rollcall during mark", err.Error(), "write what is about to be done, such as: rollcall during mark reboot worker2")
	}
	folder, err := find(markVerb)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	answer, err := call(ctx, folder, markVerb, text)
	switch {
	case errors.Is(err, errNoRecorder):
		return usage.New("rollcall during "+markVerb, "the recorder of "+folder+" is gone", "rollcall during end judges what it recorded")
	case err != nil:
		return err
	}
	return answer.Body.Close()
}

// errNoRecorder means that no recorder listens in a run folder.
var errNoRecorder = errors.New("its recorder is gone")

// call sends a request to the recorder of a folder. The caller closes the body of the answer, which may arrive later. The error is a
// [usage.Error] if the recorder rejects the request, or [errNoRecorder].
func call(ctx context.Context, folder, verb, text string) (answer *http.Response, err error) {
	recorder := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dial(ctx, folder)
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://recorder/"+verb, strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	if answer, err = recorder.RoundTrip(request); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoRecorder, err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	why, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoRecorder, err)
	}
	return nil, usage.New("rollcall during "+verb, strings.TrimSpace(string(why)), "see "+filepath.Join(folder, logFile))
}
