package record

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/loadgen"
	"example.com/rollcall/loadgen/grpclane"
)

// outsideToken, in the environment, makes this program the client outside the cluster and nothing else: a process that the rest of
// the harness cannot slow down.
const outsideToken = "ROLLCALL_OUTSIDE_TOKEN"

// outsideName is the name of the process in the output of ps.
const outsideName = "agent-outside"

func init() { //nolint:gochecknoinits // before the flags and tests of whichever program this is
	grpclane.Link()
	token := os.Getenv(outsideToken)
	if token == "" {
		return
	}
	// The parent process keeps our standard input open as long as it lives.
	ctx, end := context.WithCancel(context.Background())
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		end()
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		fmt.Println("http://" + listener.Addr().String())
		debug.SetGCPercent(400) // as for the agents in pods
		err = loadgen.Serve(ctx, listener, loadgen.AgentConfig{Token: token})
	}
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(0)
}

// An outsideClient is that process.
type outsideClient struct {
	remote    loadgen.Remote
	end, kill func()
	done      chan struct{}
}

// startOutside starts the client outside the cluster, with real-time scheduling where this process may set it.
func startOutside() (*outsideClient, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	token := rand.Text()
	cmd := exec.Command(program)
	cmd.Args[0] = outsideName
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), outsideToken+"="+token)
	command.Group(cmd, 0) // Ctrl-C reaches only the parent, which ends it
	keep, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	says, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the client on this host: %w", err)
	}
	c := &outsideClient{end: func() { keep.Close() }, kill: func() { _ = cmd.Process.Kill() }, done: make(chan struct{})}
	hung := time.AfterFunc(deployTimeout, c.kill) // as for any stage that makes ready: a host that is busy starts a program late
	url, err := bufio.NewReader(says).ReadString('\n')
	if !hung.Stop() {
		err = fmt.Errorf("it did not listen within %v", deployTimeout)
	}
	go func() {
		defer close(c.done)
		_ = cmd.Wait() // the errors of its lanes tell what went wrong
	}()
	if err == nil {
		err = host.SetRealtime(cmd.Process.Pid)
	}
	if err != nil {
		c.close()
		return nil, fmt.Errorf("start the client on this host: %w", err)
	}
	c.remote = loadgen.Remote{URL: strings.TrimSpace(url), Token: token}
	return c, nil
}

func (c *outsideClient) close() {
	c.end()
	defer time.AfterFunc(processTimeout, c.kill).Stop()
	<-c.done
}

func (c *outsideClient) status(ctx context.Context) string {
	if c.alive(ctx) {
		return "the client on this host is running"
	}
	return "the client on this host has ended"
}

func (c *outsideClient) alive(context.Context) bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// renew does nothing: connections on this host do not hang.
func (c *outsideClient) renew() {}

// again does nothing: there is no spool to continue from.
func (c *outsideClient) again(context.Context) (ending string, err error) { return "", nil }
