package conformance

import (
	"flag"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/cluster/attached"
	"example.com/rollcall/harness/runner"
)

// Every field of the options has a flag, so that each reaches another process.
func TestOptionsReachAnotherProcess(t *testing.T) {
	t.Setenv("ROLLCALL_TOKEN", "open-sesame")
	rapid.Check(t, func(t *rapid.T) {
		var given, arrived Options
		fill(t, reflect.ValueOf(&given).Elem())
		given.Verbose, given.Serve = false, "" // have no flag in the list
		given.Access.Token = "open-sesame"
		if diff := cmp.Diff([]string{"ROLLCALL_TOKEN=open-sesame"}, given.List().Secrets()); diff != "" {
			t.Error(diff)
		}
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		arrived.List().Register(flags)
		if err := flags.Parse(given.List().Args()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(given, arrived); diff != "" {
			t.Errorf("(-given +arrived):\n%s", diff)
		}
	})
}

// The command of a run reproduces it, and has no secret.
func TestTheCommandOfARunHasNoSecret(t *testing.T) {
	o := Options{Pattern: "^drained"}
	o.Context = "staging"
	o.Access = attached.Access{Token: "open-sesame", Impersonate: "jane", ImpersonateGroups: []string{"dev", "ops"}, RequestTimeout: "30s"}
	r := run{Options: o, runner: &runner.Runner{Options: o.Options}}
	const want = "rollcall run --run=^drained --context=staging --as=jane --as-group=dev --as-group=ops --request-timeout=30s"
	if got := strings.ReplaceAll(r.command(), "'", ""); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// fill sets every field of a struct and of those that are embedded in it.
func fill(t *rapid.T, v reflect.Value) {
	for i := range v.NumField() {
		switch field := v.Field(i); field.Kind() {
		case reflect.Struct:
			fill(t, field)
		case reflect.Bool:
			field.SetBool(rapid.Bool().Draw(t, v.Type().Field(i).Name))
		case reflect.Slice:
			field.Set(reflect.ValueOf(rapid.SliceOfN(rapid.StringN(1, 20, -1), 1, 3).Draw(t, v.Type().Field(i).Name)))
		default:
			field.SetString(rapid.StringN(1, 20, -1).Draw(t, v.Type().Field(i).Name))
		}
	}
}
