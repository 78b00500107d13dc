package check

import (
	"context"
	"slices"
	"strings"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/usage"
)

// Options say which manifests are read, and what is compared.
type Options struct {
	manifest.Sources
	Base   string // revision of their git repository to compare with; empty: nothing is compared
	FailOn string // the least that a check fails on; empty: what is certain
}

// List returns the flags of the options.
func (o *Options) List() usage.List {
	return usage.List{
		{Flag: "filename", Short: "f", Texts: &o.Files, Help: "`file`, folder or URL with manifests, or - for standard input"},
		{Flag: "kustomize", Short: "k", Text: &o.Kustomize, Help: "`folder` of a kustomization"},
		{Flag: "chart", Text: &o.Chart, Help: "`folder` or archive of a Helm chart, rendered as helm template does, for a release of its name"},
		{Flag: "values", Texts: &o.Values, Help: "`file` with values for the chart"},
		{Flag: "recursive", Short: "R", Switch: &o.Recursive, Help: "read folders within folders, too"},
		{Flag: "namespace", Short: "n", Text: &o.Namespace, Help: "`namespace` of objects that name none (default: default)"},
		{Flag: "base", Text: &o.Base, Help: "`revision` of the manifests' git repository that runs now, such as origin/main: also say what changes for " +
			"pods of it"},
		{Flag: "fail-on", Text: &o.FailOn, Values: []string{"certain", "question", "never"}, Help: "`level` from which the exit code is 1: certain, question " +
			"or never (default certain)"},
	}
}

// A Read has what the manifests have.
type Read struct {
	Objects, Base []manifest.Object
	Faults        []*manifest.FieldFault
}

// Read reads the manifests, and those of the base. Faults of fields are findings, others are errors.
func (o Options) Read(ctx context.Context) (r Read, err error) {
	if err := o.CheckNamed("rollcall check"); err != nil {
		return r, err
	}
	if levels := []string{"certain", "question", "never"}; o.FailOn != "" && !slices.Contains(levels, o.FailOn) {
		return r, usage.New("--fail-on="+o.FailOn, "there is no such level", "use one of: "+strings.Join(levels, ", "))
	}
	r.Objects, err = manifest.Read(o.Sources)
	if r.Faults, err = manifest.FieldFaults(err); err != nil {
		return r, err
	}
	if o.Base == "" {
		return r, nil
	}
	base, remove, err := manifest.AtRevision(ctx, o.Sources, o.Base)
	if err != nil {
		return r, err
	}
	defer remove()
	r.Base, err = manifest.Read(base)
	_, err = manifest.FieldFaults(err)
	return r, err
}
