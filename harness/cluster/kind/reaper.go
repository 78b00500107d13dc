package kind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/sharedfile"
)

// reap is the script of a reaper. It waits for a word on its standard input, or for the end of the input, which comes when the
// owner dies. After "keep" it ends. Else it removes everything of a cluster: node containers with their volumes, the state folder,
// and the network when no other cluster has a state folder. It repeats until two looks a second apart find no container, because a
// `docker run` that kind began may still make one; after 60 tries it fails. An owner that lives removes the lock file itself.
const reap = `
nodes() { docker ps --all --quiet --filter label=$LABEL=$NAME --filter network=$NETWORK; }
read -r word
[ "$word" = keep ] && exit 0
tries=0
until ids=$(nodes) && [ -z "$ids" ] && sleep 1 && ids=$(nodes) && [ -z "$ids" ]; do
	tries=$((tries+1))
	[ $tries -gt 60 ] && exit 1
	[ -z "$ids" ] || docker rm --force --volumes $ids >/dev/null || sleep 1
done
rm -rf "$STATE"
[ -n "$(ls -A "${STATE%/*}")" ] || docker network rm $NETWORK >/dev/null 2>&1
[ "$word" = remove ] || rm -f "$LOCK"
`

// A reaperProcess runs reap. It has a session of its own, so that Ctrl-C does not reach it, and shares the owner's lock, so that
// nobody takes the cluster's name before it is done.
type reaperProcess struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	said  *strings.Builder
}

func (c *Cluster) startReaper(context.Context) (err error) {
	c.reaper, err = c.engine.StartReaper(c.spec.Name, c.state, c.held)
	return err
}

func (docker) StartReaper(name, state string, held *sharedfile.Lock) (reaper, error) {
	cmd := exec.Command("sh", "-c", reap)
	cmd.Env = append(os.Environ(), "NAME="+name, "LABEL="+clusterLabel, "NETWORK="+Network,
		"STATE="+state, "LOCK="+held.File().Name())
	cmd.ExtraFiles = []*os.File{held.File()}
	command.Detach(cmd)
	said := &strings.Builder{}
	cmd.Stderr = said
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("cluster: start reaper: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cluster: start reaper: %w", err)
	}
	return &reaperProcess{cmd, stdin, said}, nil
}

// remove has the reaper remove the cluster, and waits until that is done.
func (r *reaperProcess) remove() error { return r.end("remove\n") }

// keep ends the reaper; the cluster stays.
func (r *reaperProcess) keep() error { return r.end("keep\n") }

func (r *reaperProcess) end(word string) error {
	_, err := io.WriteString(r.stdin, word)
	if err = errors.Join(err, r.stdin.Close(), r.cmd.Wait()); err != nil {
		return fmt.Errorf("cluster: something was left behind: %w: %s", err, command.LastLines(r.said.String(), 2))
	}
	return nil
}
