// Command grpcagent is command agent for lanes of RPCs, too.
package main

import (
	"example.com/rollcall/loadgen"
	"example.com/rollcall/loadgen/grpclane"
)

func main() {
	grpclane.Link()
	loadgen.RunAgent()
}
