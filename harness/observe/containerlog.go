package observe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// A containerLog is the log of one run of a container, read in passes: the API returns a log at any time, but only from its
// start.
type containerLog struct {
	client typedcorev1.PodInterface
	line   func(text string) error // called once for each line, in order
	flush  func()                  // called when no more lines are buffered
	// ofAnotherRun reports whether a line begins the log of another run; nil where there is only one run.
	ofAnotherRun func(text string) bool

	last    string // line read last; every line of a log is unique, since it has a time
	removed bool   // a pass reached the end of the log because the container had been removed
}

// pass reads the log once and hands on the lines after the line read last. It returns nil at the log's end. It may get the log of
// another run: a StatefulSet reuses a pod's name, and a container may restart.
func (l *containerLog) pass(ctx context.Context, pod string, options *corev1.PodLogOptions) error {
	// Without the client's rate limit: a pod that is killed does not wait for its log to be opened.
	stream, err := l.client.GetLogs(pod, options).Throttle(nil).Stream(ctx)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	if err != nil {
		return err
	}
	defer stream.Close()
	defer l.flush()
	lines, known := bufio.NewReaderSize(stream, 64<<10), l.last
	for first := true; ; first = false {
		text, err := lines.ReadString('\n')
		text, whole := strings.CutSuffix(text, "\n")
		removed := strings.HasPrefix(text, "rpc error: code = NotFound") // what the kubelet writes at the log's end
		switch {
		case whole && first && known != "" && l.ofAnotherRun != nil && l.ofAnotherRun(text):
			return errReplaced
		case whole && known != "":
			if text == known {
				known = ""
			}
		case whole:
			if err := l.line(text); err != nil {
				return err
			}
			if lines.Buffered() == 0 {
				l.flush()
			}
		case !errors.Is(err, io.EOF):
			return err
		case text != "" && !removed:
			return kubeletError(text)
		case known != "":
			return errRotated
		default:
			l.removed = l.removed || removed
			return nil
		}
	}
}

// kubeletError returns the error for text after the last whole line: the beginning of a line, or why the kubelet stopped, which
// it can only write into the log itself.
func kubeletError(text string) error {
	switch {
	case strings.HasPrefix(text, "unable to retrieve container logs for "),
		strings.HasPrefix(text, "failed to try resolving symlinks in path "):
		return fmt.Errorf("%w: %.200q", errGone, text)
	default:
		return fmt.Errorf("the log breaks off with %.200q", text)
	}
}
