package observe

import (
	"bytes"
	"time"

	"golang.org/x/sys/unix"
)

// A thread is measured through its schedstat file, which stays open.
type thread struct {
	file int
	last time.Duration
}

func openThread(schedstat string) *thread {
	file, err := unix.Open(schedstat, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return &thread{file: file}
}

// waited returns how long the thread was on run queues since the last call.
func (t *thread) waited() (time.Duration, error) {
	var text [64]byte
	n, err := unix.Pread(t.file, text[:], 0)
	if err != nil || n == 0 {
		return 0, errEnded
	}
	total, ok := second(text[:n])
	if !ok {
		return 0, errEnded
	}
	since := time.Duration(total) - t.last
	t.last = time.Duration(total)
	return since, nil
}

// second returns the second number in a line. It is called ten times a second for each thread.
func second(line []byte) (n int64, ok bool) {
	at := bytes.IndexByte(line, ' ') + 1
	for ; at > 0 && at < len(line) && '0' <= line[at] && line[at] <= '9'; at++ {
		n, ok = 10*n+int64(line[at]-'0'), true
	}
	return n, ok
}

func (t *thread) close() { _ = unix.Close(t.file) }
