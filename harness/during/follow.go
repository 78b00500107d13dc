package during

import (
	"io"
	"os"
	"time"
)

// logFile, in the run folder, has all that a recorder prints.
const logFile = "log.txt"

// followEvery paces what is read of a log for a person.
const followEvery = 100 * time.Millisecond

// follow copies what is added to a log until done is closed, and then the rest.
func follow(log *os.File, out io.Writer, done <-chan struct{}) error {
	for {
		over := false
		select {
		case <-done:
			over = true
		case <-time.After(followEvery):
		}
		if _, err := io.Copy(out, log); err != nil || over {
			return err
		}
	}
}
