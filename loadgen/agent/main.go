// Command agent sends the load of lanes from inside a cluster; its HTTP API starts and stops it. Callers have to show the token
// that is in the environment as ROLLCALL_TOKEN. With a spool, a folder that outlives the process, the next process continues the
// load and has the hits that were not fetched yet.
package main

import "example.com/rollcall/loadgen"

func main() { loadgen.RunAgent() }
