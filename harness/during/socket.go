package during

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// socketFile, in the run folder, is where its recorder listens while it lives.
const socketFile = "recorder.sock"

// longestPath is the longest path of a socket that the kernel takes, less a byte (unix(7), sun_path).
const longestPath = 107

// dialTimeout is how long a recorder that lives may take to take a call.
const dialTimeout = 5 * time.Second

// withSocket gives the path of a folder's socket while it is used. Where the folder has a long name, it goes by way of the folder as
// this process has it open.
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
		listener.SetUnlinkOnClose(false) // the path need not be there any more
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
