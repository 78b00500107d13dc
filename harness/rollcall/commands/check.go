package commands

import (
	"cmp"
	"io"
	"os"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/spf13/cobra"

	"example.com/rollcall/harness/check"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/reports/advice"
	"example.com/rollcall/reports/findings"
	"example.com/rollcall/reports/model"
)

// Formats of findings beside those of other commands.
const (
	asSARIF  = "sarif"
	asGitHub = "github"
	asGitLab = "gitlab"
)

func checkCommand() *cobra.Command {
	o := check.Options{}
	cmd := &cobra.Command{
		Use:   "check -f FILES [flags]",
		Short: "Say what manifests alone tell of rollouts and drains, without a cluster",
		Args:  noArgs(func(word string) string { return "-f " + word }),
	}
	addFlags(cmd, o.List())
	out := addOutput(cmd, asText, asMarkdown, asJSON, asYAML, asSARIF, asGitHub, asGitLab)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o.In = os.Stdin
		result, err := checked(cmd, o)
		if err != nil {
			return finish(0, err)
		}
		err = out.print(cmd.OutOrStdout(), result, map[string]func(io.Writer) error{
			asText:     func(w io.Writer) error { return findings.Text(w, result) },
			asMarkdown: func(w io.Writer) error { return findings.Markdown(w, result) },
			asSARIF:    func(w io.Writer) error { return findings.SARIF(w, result, store.Version()) },
			asGitHub:   func(w io.Writer) error { return findings.GitHub(w, result) },
			asGitLab:   func(w io.Writer) error { return findings.GitLab(w, result) },
		})
		if err == nil && result.Fails(o.FailOn) {
			return exitCode(1)
		}
		return err
	}
	return cmd
}

// checked reads manifests and returns what they say.
func checked(cmd *cobra.Command, o check.Options) (findings.Result, error) {
	read, err := o.Read(cmd.Context())
	if err != nil {
		return findings.Result{}, err
	}
	r := newResult(len(read.Objects))
	for _, app := range check.Apps(read.Objects, read.Base) {
		tell := func(of model.Finding) string { return told(o, app, of) }
		if err := addApp(&r, app, tell); err != nil {
			return r, err
		}
	}
	for _, fault := range read.Faults {
		f := findings.Finding{Finding: advice.Misplaced(fault.Says, fault.In.Remedy), Object: objectName(fault.Of)}
		f.File, f.Line = fault.Place()
		if err := add(&r, f, fault.Of); err != nil {
			return r, err
		}
	}
	return r.Sorted(), nil
}

func newResult(objects int) findings.Result {
	return findings.Result{Objects: objects, Certain: []findings.Finding{}, Questions: []findings.Finding{}, Ignored: []findings.Finding{}}
}

// addApp adds what manifests say of an app. tell returns the command whose load answers a question.
func addApp(r *findings.Result, app check.App, tell func(model.Finding) string) error {
	for _, found := range advice.Read(app.Reading) {
		of := map[model.FindingObject]manifest.Object{model.OnWorkload: app.Workload, model.OnService: app.Service,
			model.OnBudget: app.Budget}[found.On]
		f := findings.Finding{Finding: found, Object: objectName(of)}
		f.File, f.Line = of.Place(found.Field)
		if !f.Certain {
			f.Tell = tell(found)
		} else if of.Rendered() {
			f.Do += ": in the template, or by its values"
		}
		if err := add(r, f, of); err != nil {
			return err
		}
	}
	return nil
}

// add adds a finding about an object to the list that it belongs to.
func add(r *findings.Result, f findings.Finding, of manifest.Object) error {
	reasons, err := check.Ignored(of)
	switch f.Reason = reasons[f.Code]; {
	case f.Reason != "":
		r.Ignored = append(r.Ignored, f)
	case f.Certain:
		r.Certain = append(r.Certain, f)
	default:
		r.Questions = append(r.Questions, f)
	}
	return err
}

func objectName(o manifest.Object) string {
	return o.GetKind() + " " + o.Namespace() + "/" + o.GetName()
}

// told returns the command whose load answers a question about an app.
func told(o check.Options, app check.App, question model.Finding) string {
	if app.Workload.Unstructured == nil {
		return shellescape.QuoteCommand([]string{"kubectl", "get", "endpointslices", "--namespace=" + app.Service.Namespace(),
			"--selector=kubernetes.io/service-name=" + app.Service.GetName()})
	}
	service := app.Workload.Namespace() + "/" + cmp.Or(app.Reading.Service, "SERVICE")
	if question.Drains {
		return "rollcall during --service=" + service + " -- kubectl drain NODE --ignore-daemonsets"
	}
	words := []string{"rollcall", "try"}
	for _, file := range o.Files {
		words = append(words, "-f", file)
	}
	if o.Kustomize != "" {
		words = append(words, "-k", o.Kustomize)
	}
	if o.Chart != "" {
		words = append(words, "--chart="+o.Chart)
	}
	for _, file := range o.Values {
		words = append(words, "--values="+file)
	}
	return secret.URLs(shellescape.QuoteCommand(slices.Concat(words, []string{"--service=" + strings.TrimPrefix(service, "default/")})))
}
