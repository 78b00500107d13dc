package usage

import (
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// settings has two texts and two switches, of which one each comes only from make, a list and a secret.
type settings struct {
	Modes, Context, Token string
	Keep, DryRun          bool
	Headers               []string
}

func (s *settings) list() List {
	return List{
		{Flag: "modes", Default: Environment, Text: &s.Modes, Help: "kube-proxy `modes`"},
		{Flag: "keep", Default: Environment, Switch: &s.Keep, Help: "keep the clusters"},
		{Flag: "context", Default: Make, Text: &s.Context, Help: "kubeconfig `context`"},
		{Flag: "header", Texts: &s.Headers, Help: "`headers`"},
		{Flag: "dry-run", Default: Make, Switch: &s.DryRun, Help: "list the scenarios"},
		{Flag: "token", Default: Secret, Text: &s.Token, Help: "bearer `token`"},
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
		{"a variable in the environment alone selects no cluster", "CONTEXT=prod DRY_RUN=1", "", settings{}},
		{"a variable on make's command line does", "CONTEXT=staging DRY_RUN=1 ROLLCALL_GIVEN=DRY_RUN,CONTEXT", "",
			settings{Context: "staging", DryRun: true}},
		{"one that is given again", "", "--header=a=b --header=c", settings{Headers: []string{"a=b", "c"}}},
		{"a secret from its variable", "ROLLCALL_TOKEN=open-sesame", "", settings{Token: "open-sesame"}},
		{"a secret from its flag", "ROLLCALL_TOKEN=old", "--token=open-sesame", settings{Token: "open-sesame"}},
		{"no secret from a variable that anything may have", "TOKEN=open-sesame ROLLCALL_GIVEN=TOKEN", "", settings{}},
		{"something else on make's command line does not", "CONTEXT=prod ROLLCALL_GIVEN=MODES", "", settings{}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			for _, name := range []string{"MODES", "KEEP", "CONTEXT", "DRY_RUN", "TOKEN", "ROLLCALL_TOKEN", GivenToMake} {
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
	s := settings{Context: "staging", DryRun: true, Token: "open-sesame"}
	if diff := cmp.Diff([]string{"--context=staging", "--dry-run"}, s.list().Args()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"--dry-run"}, s.list().Only("dry-run", "modes").Args()); diff != "" {
		t.Error(diff)
	}
}

// A secret is passed to another process in the environment, which a process list does not show. Neither help nor errors contain it.
func TestSecretsAreInTheEnvironmentAlone(t *testing.T) {
	t.Setenv("ROLLCALL_TOKEN", "")
	s := settings{Token: "open-sesame"}
	if diff := cmp.Diff([]string{"ROLLCALL_TOKEN=open-sesame"}, s.list().Secrets()); diff != "" {
		t.Error(diff)
	}
	if none := new(settings).list().Secrets(); len(none) > 0 {
		t.Errorf("no secret: %q", none)
	}
	t.Setenv("ROLLCALL_TOKEN", "open-sesame")
	var help strings.Builder
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(&help)
	s.list().Register(flags)
	flags.PrintDefaults()
	if text := help.String(); !strings.Contains(text, "[$ROLLCALL_TOKEN]") || strings.Contains(text, "open-sesame") {
		t.Errorf("help:\n%s", text)
	}
	if s.Token != "open-sesame" {
		t.Errorf("token %q", s.Token)
	}
}

func TestGivenIsHowAnErrorNamesAnOption(t *testing.T) {
	s := settings{Context: "staging", DryRun: true, Token: "open-sesame", Headers: []string{"a=b", "c=d"}}
	var got []string
	for _, o := range s.list() {
		got = append(got, o.Given())
	}
	if diff := cmp.Diff([]string{"", "", "--context=staging", "--header=a=b", "--dry-run", "--token"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutSecrets(t *testing.T) {
	got := new(settings).list().WithoutSecrets([]string{"HOME=/root", "ROLLCALL_TOKEN=open-sesame", "TOKEN=yours", "ROLLCALL_TOKENS=no"})
	if diff := cmp.Diff([]string{"HOME=/root", "TOKEN=yours", "ROLLCALL_TOKENS=no"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
