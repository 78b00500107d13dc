package progress

import (
	"io"
	"os"

	"golang.org/x/term"
)

// OnTerminal returns a Table if out is standard output and a terminal that can be drawn on.
func OnTerminal(out io.Writer) (table *Table, drawn bool) {
	if out != os.Stdout || !term.IsTerminal(int(os.Stdout.Fd())) || os.Getenv("CI") != "" || os.Getenv("TERM") == "dumb" {
		return nil, false
	}
	return NewTable(out, os.Getenv("NO_COLOR") == "", columns), true
}

// columns returns the width of the terminal.
func columns() int {
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 80
	}
	return width
}
