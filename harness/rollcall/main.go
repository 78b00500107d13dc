// Command rollcall says what a rollout costs the clients of a Kubernetes Service: see package commands.
package main

import (
	"os"

	"example.com/rollcall/harness/rollcall/commands"
)

func main() { os.Exit(commands.Main()) }
