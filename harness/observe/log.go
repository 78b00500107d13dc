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

// A log is that of one run of a container, read in passes: it can be asked for at any time, but only from
// its start.
type log struct {
	client typedcorev1.PodInterface
	take   func(line string) error // called for each line once, in order
	handOn func()                  // called when no more lines are at hand
	// another reports whether a line begins another run's log; nil where there is only one.
	another func(line string) bool

	last    string // line taken last; every line of a log is unique, having a time
	removed bool   // a pass met the end of the log because the container had been removed
}

// pass reads a log once and takes what follows the last line taken. It returns nil at the log's end. A StatefulSet
// gives a pod's name again, and a container that starts again its own: what is read then is another log.
func (l *log) pass(ctx context.Context, pod string, options *corev1.PodLogOptions) error {
	// Without the client's rate limit: a pod that is killed does not wait for its log to be opened.
	stream, err := l.client.GetLogs(pod, options).Throttle(nil).Stream(ctx)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	if err != nil {
		return err
	}
	defer stream.Close()
	defer l.handOn()
	lines, known := bufio.NewReaderSize(stream, 64<<10), l.last
	for first := true; ; first = false {
		text, err := lines.ReadString('\n')
		text, whole := strings.CutSuffix(text, "\n")
		removed := strings.HasPrefix(text, "rpc error: code = NotFound") // learnt when it has met the log's end
		switch {
		case whole && first && known != "" && l.another != nil && l.another(text):
			return errReplaced
		case whole && known != "":
			if text == known {
				known = ""
			}
		case whole:
			if err := l.take(text); err != nil {
				return err
			}
			if lines.Buffered() == 0 {
				l.handOn()
			}
		case !errors.Is(err, io.EOF):
			return err
		case text != "" && !removed:
			return remark(text)
		case known != "":
			return errRotated
		default:
			l.removed = l.removed || removed
			return nil
		}
	}
}

// remark is what follows the last whole line: the beginning of one, or why the kubelet stopped, which
// it can only say in the log itself.
func remark(text string) error {
	switch {
	case strings.HasPrefix(text, "unable to retrieve container logs for "),
		strings.HasPrefix(text, "failed to try resolving symlinks in path "):
		return fmt.Errorf("%w: %.200q", errGone, text)
	default:
		return fmt.Errorf("the log breaks off with %.200q", text)
	}
}
