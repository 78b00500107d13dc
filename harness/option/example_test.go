package option_test

import (
	"flag"
	"fmt"

	"rollcall/harness/option"
)

func Example() {
	var cooldown string // a field of Options
	options := option.List{
		// The line to add to List.
		{Flag: "cooldown", Default: option.Environment, Text: &cooldown, Help: "`seconds` between two recordings (default 0)"},
	}

	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	options.Register(flags)
	if err := flags.Parse([]string{"--cooldown=5"}); err != nil {
		panic(err)
	}
	fmt.Println(cooldown, options.Args())
	// Output: 5 [--cooldown=5]
}
