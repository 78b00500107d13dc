// Command rollcall reads what a conformance run recorded.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"rollcall/reports"
)

// Exit codes that are not about a verdict.
const (
	exitUsage          = 2 // wrong arguments, or a folder that cannot be read
	exitInfrastructure = 3 // what was found could not be written
)

// printed is the error of printing an answer that is no verdict.
func printed(code *int, err error) error {
	if err != nil {
		*code = exitInfrastructure
	}
	return err
}

// loaded are the reports of run folders.
func loaded(dirs []string) ([]reports.Report, error) {
	var runs []reports.Report
	for _, dir := range dirs {
		r, err := reports.Load(dir)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	code := 0
	root := &cobra.Command{
		Use:           "rollcall",
		Short:         "Tells what a rollout costs the clients of a Kubernetes Service",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(reportCommand(&code), rejudgeCommand(&code), claimsCommand(&code), modesCommand(&code), schemaCommand(&code), compareCommand(&code), trendCommand(&code), acceptCommand(&code))
	root.SetArgs(append([]string{}, args...)) // nil would be the arguments of the process
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(stderr, "Error:", err)
		if code == 0 {
			code = exitUsage
		}
	}
	return code
}
