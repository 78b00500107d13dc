package during

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rollcall/harness/layout"
	"rollcall/harness/usage"
)

// RunVariable is the environment variable of a command, and of what it starts, that has the run folder.
const RunVariable = "ROLLCALL_RUN"

// linkName, beside run folders, leads to that of the maintenance that is recorded, until that has ended and whoever began it knows
// what came of it.
const linkName = "during"

// current is the folder of the recording that is under way, or was and nobody has asked for; empty if there is none.
func current(root string) (string, error) {
	folder, err := filepath.EvalSymlinks(filepath.Join(root, linkName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return folder, err
}

// find is the folder of the recording that a verb is about.
func find(verb string) (string, error) {
	if folder := os.Getenv(RunVariable); folder != "" {
		return folder, nil
	}
	home, err := layout.Find()
	if err != nil {
		return "", err
	}
	folder, err := current(home.Runs())
	if err == nil && folder == "" {
		err = usage.New(verb, "nothing is being recorded", "begin it: rollcall during begin, or rollcall during -- COMMAND")
	}
	return folder, err
}

// Mark notes in the recording under way that the maintenance reached a step, now.
func Mark(text string) error {
	if err := checkMark(text); err != nil {
		return usage.New("mark", err.Error(), "write what is about to be done, such as: rollcall during mark reboot worker2")
	}
	folder, err := find(markVerb)
	if err != nil {
		return err
	}
	conn, err := call(folder, markVerb+" "+text)
	if err != nil {
		return oneLine(markVerb, folder, err)
	}
	defer conn.Close()
	if err := conn.SetReadDeadline(time.Now().Add(callTimeout)); err != nil {
		return err
	}
	_, err = conn.answer()
	return oneLine(markVerb, folder, err)
}

// A conversation is one call to a recorder.
type conversation struct {
	net.Conn
	lines *bufio.Reader
}

// call tells a recorder something.
func call(folder, what string) (*conversation, error) {
	conn, err := dial(folder)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintln(conn, what); err != nil {
		conn.Close()
		return nil, fmt.Errorf("%w: %w", errNoRecorder, err)
	}
	return &conversation{conn, bufio.NewReader(conn)}, nil
}

// A refusal is why a recorder does not do what it was told.
type refusal string

func (r refusal) Error() string { return string(r) }

// answer is the next line that a recorder says. It is [errNoRecorder] if that is gone.
func (c *conversation) answer() (text string, err error) {
	line, err := c.lines.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNoRecorder, err)
	}
	word, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	if word == errorAnswer {
		return "", refusal(text)
	}
	return text, nil
}

// oneLine is an error of a call in one line, and nil of none.
func oneLine(verb, folder string, err error) error {
	var why refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &why):
		return usage.New(verb, why.Error(), "see "+filepath.Join(folder, logFile))
	default:
		return usage.New(verb, "the recorder of "+folder+" is gone", "rollcall during end judges what it recorded")
	}
}
