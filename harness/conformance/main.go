// The conformance command is what `make conformance` runs: every suite in every kube-proxy mode,
// one cluster per mode, and a report of it all. It makes the host able first. Its exit code is 0
// when all pass or are skipped, 1 when a claim failed, 2 for bad input (nothing was created), 3
// when something was inconclusive or the infrastructure failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"rollcall/harness"
	"rollcall/harness/cluster"
	"rollcall/harness/host"
	"rollcall/harness/lab"
	"rollcall/harness/nodeimage"
	"rollcall/harness/usage"
)

const usageText = `usage: conformance [command] [flags]

commands:
  run         run suites in every kube-proxy mode and write a run folder (default)
  preflight   say what this host can run; set up the container engine where allowed
  node-image  get the node image for a Kubernetes version, building it if need be
  clean       remove every cluster Rollcall made on this host, kept ones too
  image       push the images to -image-repo, and write the kustomization of a nightly job
  cleanup     remove what runs left on a cluster that was there already: -context=NAME
  lab         run suites in ipvs mode in a machine of its own, where this host's kernel has no IP_VS
  clean-lab   remove that machine

flags:
`

// Exit codes.
const (
	badInput       = 2
	infrastructure = 3
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	command := "run"
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		command, args = args[0], args[1:]
	}
	c := conformance{}
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(flags.Output(), usageText); flags.PrintDefaults() }
	c.runner.Register(flags)
	flags.StringVar(&c.suites, "suites", os.Getenv("SUITES"), "`suites` to run, separated by commas or spaces (default all)")
	flags.StringVar(&c.pattern, "run", "", "run only scenarios whose name matches this `pattern` of go test -run")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return badInput
	}
	switch command {
	case "cleanup":
		if c.runner.Context == "" && c.runner.Kubeconfig == "" {
			return complain(usage.New("cleanup", "no cluster is named", "name it: -context=NAME; conformance clean removes kind clusters"))
		}
	case "run", "lab":
		if err := c.runner.CheckNamed(); err != nil {
			return complain(err)
		}
	}
	if c.pattern != "" && c.runner.Profile == "" {
		c.runner.Profile = string(harness.Full) // of which the pattern names what is wanted
	}
	switch command {
	case "run", "node-image", "image", "lab", "cleanup":
		if err := c.runner.Prepare(); err != nil {
			return complain(err)
		}
	}
	switch command {
	case "run":
		return c.run(ctx)
	case "preflight":
		facts, err := host.Ensure(ctx, os.Stdout)
		facts.Print(os.Stdout)
		if err == nil {
			err = facts.Check(false)
		}
		return complain(err)
	case "node-image":
		if _, err := host.Ensure(ctx, os.Stdout); err != nil {
			return complain(err)
		}
		image, err := nodeimage.Ensure(ctx, os.Stdout, c.runner.Version())
		if err == nil {
			fmt.Println(image)
		}
		return complain(err)
	case "image":
		return c.image(ctx)
	case "lab":
		return c.lab(ctx)
	case "clean-lab":
		return complain(lab.Remove())
	case "cleanup":
		return complain(c.runner.Cleanup(ctx, os.Stdout))
	case "clean":
		return complain(cluster.Sweep(ctx, os.Stdout, true))
	}
	fmt.Fprintf(os.Stderr, "%s: no such command: see conformance -h\n", command)
	return badInput
}

// complain prints an error and returns the exit code it deserves.
func complain(err error) int {
	switch {
	case err == nil:
		return 0
	case usage.Is(err):
		fmt.Fprintln(os.Stderr, err)
		return badInput
	}
	fmt.Fprintln(os.Stderr, err)
	return infrastructure
}
