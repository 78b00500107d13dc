// Command rollcall is harness/rollcall, which moved there; this folder stays for one release.
package main

import (
	"os"

	"example.com/rollcall/harness/rollcall/commands"
)

func main() { os.Exit(commands.Main()) }
