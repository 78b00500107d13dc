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

// RunVariable is the environment variable of a command, and of what it starts, that has the run folder.
const RunVariable = "ROLLCALL_RUN"

// linkName, beside run folders, leads to that of the maintenance that is recorded, until that has ended and whoever began it knows
// what came of it.
const linkName = "during"

// current is the folder of the recording that is under way, or was and nobody has asked for; empty if there is none.
func current(root string) (string, error) {
	folder, err := filepath.EvalSymlinks(filepath.Join(root, linkName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return folder, err
}

// find is the folder of the recording that a verb is about.
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
		err = usage.New(verb, "nothing is being recorded", "begin it: rollcall during begin, or rollcall during -- COMMAND")
	}
	return folder, err
}

// Mark notes in the recording under way that the maintenance reached a step, now.
func Mark(text string) error {
	if err := checkMark(text); err != nil {
		return usage.New("mark", err.Error(), "write what is about to be done, such as: rollcall during mark reboot worker2")
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
		return usage.New(markVerb, "the recorder of "+folder+" is gone", "rollcall during end judges what it recorded")
	case err != nil:
		return err
	}
	return answer.Body.Close()
}

// errNoRecorder is that nobody listens in a run folder, or does any longer.
var errNoRecorder = errors.New("its recorder is gone")

// call tells the recorder of a folder something. The caller closes the body of the answer, which need not be there yet. The error is that
// it refuses, one of [usage.Error], or [errNoRecorder].
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
	return nil, usage.New(verb, strings.TrimSpace(string(why)), "see "+filepath.Join(folder, logFile))
}
