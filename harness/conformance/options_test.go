package conformance

import (
	"flag"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Every field of the options is in their list: what one process hands to another arrives, whatever it is.
func TestOptionsReachAnotherProcess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var given, arrived Options
		fill(t, reflect.ValueOf(&given).Elem())
		given.Verbose, given.Serve = false, "" // are about what is shown
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

// fill sets every field of a struct and of those that are embedded in it.
func fill(t *rapid.T, v reflect.Value) {
	for i := range v.NumField() {
		switch field := v.Field(i); field.Kind() {
		case reflect.Struct:
			fill(t, field)
		case reflect.Bool:
			field.SetBool(rapid.Bool().Draw(t, v.Type().Field(i).Name))
		default:
			field.SetString(rapid.StringN(1, 20, -1).Draw(t, v.Type().Field(i).Name))
		}
	}
}
