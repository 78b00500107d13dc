package usage

import (
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// settings are two texts and two switches, one of each from make alone, and a list.
type settings struct {
	Modes, Context string
	Keep, DryRun   bool
	Headers        []string
}

func (s *settings) list() List {
	return List{
		{Flag: "modes", Default: Environment, Text: &s.Modes, Help: "kube-proxy `modes`"},
		{Flag: "keep", Default: Environment, Switch: &s.Keep, Help: "keep the clusters"},
		{Flag: "context", Default: Make, Text: &s.Context, Help: "kubeconfig `context`"},
		{Flag: "header", Texts: &s.Headers, Help: "`headers`"},
		{Flag: "dry-run", Default: Make, Switch: &s.DryRun, Help: "list the scenarios"},
	}
}

func TestWhereAnOptionComesFrom(t *testing.T) {
	for _, row := range []struct {
		sentence    string
		environment string
		args        string
		want        settings
	}{
		{"nothing is set", "", "", settings{}},
		{"the environment sets some", "MODES=ipvs KEEP=1", "", settings{Modes: "ipvs", Keep: true}},
		{"a switch is turned off", "KEEP=0", "", settings{}},
		{"a flag goes before the environment", "MODES=ipvs KEEP=1", "--modes=iptables --keep=false", settings{Modes: "iptables"}},
		{"what merely stands in the environment names no cluster", "CONTEXT=prod DRY_RUN=1", "", settings{}},
		{"what make's command line sets does", "CONTEXT=staging DRY_RUN=1 ROLLCALL_GIVEN=DRY_RUN,CONTEXT", "",
			settings{Context: "staging", DryRun: true}},
		{"one that is given again", "", "--header=a=b --header=c", settings{Headers: []string{"a=b", "c"}}},
		{"something else on make's command line does not", "CONTEXT=prod ROLLCALL_GIVEN=MODES", "", settings{}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			for _, name := range []string{"MODES", "KEEP", "CONTEXT", "DRY_RUN", GivenToMake} {
				t.Setenv(name, "")
			}
			for setting := range strings.FieldsSeq(row.environment) {
				name, value, _ := strings.Cut(setting, "=")
				t.Setenv(name, strings.ReplaceAll(value, ",", " "))
			}
			var got settings
			flags := flag.NewFlagSet("", flag.ContinueOnError)
			got.list().Register(flags)
			if err := flags.Parse(strings.Fields(row.args)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArgsLeaveOutWhatIsNotSet(t *testing.T) {
	s := settings{Context: "staging", DryRun: true}
	if diff := cmp.Diff([]string{"--context=staging", "--dry-run"}, s.list().Args()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"--dry-run"}, s.list().Only("dry-run", "modes").Args()); diff != "" {
		t.Error(diff)
	}
}
