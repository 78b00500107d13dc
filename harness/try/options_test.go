package try

import (
	"flag"
	"strings"
	"testing"
)

// The command line that is recorded does not have the token.
func TestTheLineOfATry(t *testing.T) {
	o := Options{}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	o.List().Register(flags)
	err := flags.Parse(strings.Fields("--filename k8s/ --filename more.yaml --token open-sesame --twin --context=staging --as-group=dev " +
		"--as-group=ops --as=jane"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "rollcall try --filename=k8s/ --filename=more.yaml --twin --context=staging --as=jane --as-group=dev --as-group=ops"
	if got := o.line(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
