package during

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
)

// End reports the end of the maintenance to the recorder that Begin started, prints what it prints until it has judged, and returns its
// exit code. If the recorder was killed, End judges what it recorded. When ctx ends, the recorder goes on.
func End(ctx context.Context, out io.Writer, reports run.Reports) (int, error) {
	folder, err := find(endVerb)
	if err != nil {
		return 0, err
	}
	return end(ctx, out, folder, reports)
}

func end(ctx context.Context, out io.Writer, folder string, reports run.Reports) (code int, err error) {
	if _, err := os.Stat(filepath.Join(folder, logFile)); err != nil {
		return 0, usage.New("rollcall during end", usage.OneLine(err),
			"name a run folder of rollcall during begin in "+RunVariable+", or leave that unset")
	}
	code, err = requestEnd(ctx, out, folder)
	if errors.Is(err, errNoRecorder) && ctx.Err() == nil {
		code, err = afterwards(out, folder, reports)
	}
	if err != nil {
		return code, err
	}
	return code, unlink(folder)
}

// requestEnd sends the recorder the end, and copies what it prints until it has ended.
func requestEnd(ctx context.Context, out io.Writer, folder string) (code int, err error) {
	answer, err := call(ctx, folder, endVerb, "")
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(tee{out}, answer.Body)
	if ctx.Err() != nil {
		return 0, fmt.Errorf("the recording goes on to its end in %s: %w", folder, context.Cause(ctx))
	}
	if err == nil {
		code, err = strconv.Atoi(answer.Trailer.Get(codeTrailer))
	}
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errNoRecorder, err)
	}
	return code, nil
}

// afterwards reports a recording whose recorder is gone: it ended by itself, or was killed and its recording is incomplete.
func afterwards(out io.Writer, folder string, reports run.Reports) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	held, err := sharedfile.Acquire(ctx, filepath.Join(filepath.Dir(folder), lockName), func(string) {})
	if err != nil {
		return 0, fmt.Errorf("the recorder of %s does not answer: %w", folder, err)
	}
	defer func() { _ = held.Release() }()
	if err := sweepKubeconfigs(); err != nil {
		fmt.Fprintf(out, "kubeconfigs of runs that were killed are still there: %v\n", err)
	}
	var session evidence.Session
	switch err := store.ReadJSON(evidence.SessionPath(folder), &session); {
	case err != nil:
		return 0, errors.Join(fmt.Errorf("the recorder was killed before it recorded anything, in %s: %s", folder, usage.OneLine(err)),
			unlink(folder))
	case session.Ended.IsZero():
		fmt.Fprintln(out, "the recorder was killed; what it recorded is judged as it is")
	default:
		fmt.Fprintln(out, "the recording had ended by itself")
	}
	return reports(folder).Report(out, filepath.Dir(folder))
}

// unlink removes the link to the folder: its result is known.
func unlink(folder string) error {
	link := filepath.Join(filepath.Dir(folder), linkName)
	if last, err := filepath.EvalSymlinks(link); err != nil || last != folder {
		return nil //nolint:nilerr // the link leads to another recording, or was removed before
	}
	return os.Remove(link)
}
