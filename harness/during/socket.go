package during

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// socketFile is the socket in the run folder on which the recorder listens.
const socketFile = "recorder.sock"

// longestPath is the longest path of a socket, in bytes (unix(7): sun_path has 108, one of them for the end).
const longestPath = 107

// withSocket calls use with the path of a folder's socket. If the folder's own path is too long, it is one through an open descriptor of
// the folder.
func withSocket(folder string, use func(path string) error) error {
	if path := filepath.Join(folder, socketFile); len(path) <= longestPath {
		return use(path)
	}
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	return use(fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), socketFile))
}

func listen(folder string) (listener *net.UnixListener, err error) {
	err = withSocket(folder, func(path string) error {
		listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	if err == nil {
		listener.SetUnlinkOnClose(false) // the path may be gone by then
	}
	return listener, err
}

func dial(ctx context.Context, folder string) (conn net.Conn, err error) {
	err = withSocket(folder, func(path string) error {
		conn, err = (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "unix", path)
		return err
	})
	return conn, err
}
