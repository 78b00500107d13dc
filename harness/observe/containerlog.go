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

// A containerLog is the log of one run of a container, read in passes: it can be asked for at any time, but only from its
// start.
type containerLog struct {
	client typedcorev1.PodInterface
	line   func(text string) error // called for each line once, in order
	flush  func()                  // called when no more lines are at hand
	// ofAnotherRun reports whether a line begins another run's log; nil where there is only one run.
	ofAnotherRun func(text string) bool

	last    string // line read last; every line of a log is unique, having a time
	removed bool   // a pass met the end of the log because the container had been removed
}

// pass reads a log once and hands on what follows the line read last. It returns nil at the log's end. It may find the log of
// another run: a StatefulSet gives a pod's name again, and so does a container that starts again.
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
		removed := strings.HasPrefix(text, "rpc error: code = NotFound") // which the kubelet learnt at the log's end
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

// kubeletError is of what follows the last whole line: the beginning of one, or why the kubelet stopped, which it can only
// write into the log itself.
func kubeletError(text string) error {
	switch {
	case strings.HasPrefix(text, "unable to retrieve container logs for "),
		strings.HasPrefix(text, "failed to try resolving symlinks in path "):
		return fmt.Errorf("%w: %.200q", errGone, text)
	default:
		return fmt.Errorf("the log breaks off with %.200q", text)
	}
}
