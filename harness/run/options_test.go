package run

import (
	"flag"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/cluster/attached"
)

// Every field of the options has a flag, so that each reaches another process.
func TestOptionsReachAnotherProcess(t *testing.T) {
	t.Setenv("ROLLCALL_TOKEN", "open-sesame")
	rapid.Check(t, func(t *rapid.T) {
		type all struct {
			Selection
			Options
		}
		var given, arrived all
		fill(t, reflect.ValueOf(&given).Elem())
		given.Watches, given.FromHost, given.LoadImages, given.RPCs = false, false, nil, false // have no flags
		given.Access.Token = "open-sesame"
		if diff := cmp.Diff([]string{"ROLLCALL_TOKEN=open-sesame"}, given.Options.List().Secrets()); diff != "" {
			t.Error(diff)
		}
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		arrived.Selection.List().Register(flags)
		arrived.Options.List().Register(flags)
		if err := flags.Parse(append(given.Selection.List().Args(), given.Options.List().Args()...)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(given, arrived); diff != "" {
			t.Errorf("(-given +arrived):\n%s", diff)
		}
	})
}

// The command of a run reproduces it, and has no secret.
func TestTheCommandOfARunHasNoSecret(t *testing.T) {
	q := Request{Selection: Selection{Pattern: "^drained"}}
	q.Context = "staging"
	q.Access = attached.Access{Token: "open-sesame", Impersonate: "jane", ImpersonateGroups: []string{"dev", "ops"}, RequestTimeout: "30s"}
	const want = "rollcall run --run=^drained --context=staging --as=jane --as-group=dev --as-group=ops --request-timeout=30s"
	if got := strings.ReplaceAll(q.command(Plan{Options: q.Options}), "'", ""); got != want {
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
