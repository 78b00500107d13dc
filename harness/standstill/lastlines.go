package standstill

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/verdict/phrase"
)

const (
	// lastLines is how many lines of a log are shown: the error of most programs is in their last ones.
	lastLines = 5
	// logBytes is how much of a log is read, in bytes.
	logBytes = 64 << 10
)

// LastLines returns lines of output with the last lines that an obstacle's container logged, without what may be secret in them. It is
// empty where they cannot say why, if there are none, and if they may not be read, which needs the right to get pods/log.
func (o Obstacle) LastLines(ctx context.Context, client kubernetes.Interface, namespace string) string {
	if o.Container == "" || !slices.ContainsFunc(rows, func(r row) bool { return r.kind == o.Kind && r.logs }) {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	log, err := client.CoreV1().Pods(namespace).GetLogs(o.Pod, &corev1.PodLogOptions{Container: o.Container, Previous: o.waits,
		TailLines: new(int64(lastLines)), LimitBytes: new(int64(logBytes))}).DoRaw(ctx)
	if err != nil {
		return ""
	}
	said := ""
	for line := range strings.Lines(string(log)) {
		if line = phrase.PrintableLines(secret.Script(strings.TrimRight(line, "\r\n"))); strings.TrimSpace(line) != "" {
			said += "\n" + indent + phrase.Cut(line, columns-len(indent))
		}
	}
	if said == "" {
		return ""
	}
	return fmt.Sprintf("the last lines of container %s in pod %s:%s", o.Container, o.Pod, said)
}
