package usage_test

import (
	"flag"
	"fmt"

	"example.com/rollcall/harness/usage"
)

func Example() {
	var cooldown string // a field of Options
	options := usage.List{
		// The line to add to List.
		{Flag: "cooldown", Default: usage.Environment, Text: &cooldown, Help: "`seconds` between two recordings (default 0)"},
	}

	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	options.Register(flags)
	if err := flags.Parse([]string{"--cooldown=5"}); err != nil {
		panic(err)
	}
	fmt.Println(cooldown, options.Args())
	// Output: 5 [--cooldown=5]
}
