package try

import (
	"context"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/usage"
)

// modeList returns the modes that are named. It is the option itself if none is, and for an existing cluster, which has one.
func (o *Options) modeList() ([]string, error) {
	if o.Modes == "" || o.Named() {
		return []string{o.Modes}, nil
	}
	return dataplane.Parse(o.Modes)
}

// partsIn returns what is recorded one after the other: the changes of the app, on a cluster of each mode.
func partsIn(modes []string, app *App, change Change, o Options, advise Advise) (parts []during.Part, err error) {
	for _, o.Modes = range modes {
		prepared, err := o.Prepare()
		if err != nil {
			return nil, err
		}
		r := &appRun{app: app, change: change, images: o.LoadImages}
		part := during.Part{Prepared: prepared, Created: r}
		several := ""
		if len(modes) > 1 {
			several = o.Modes
		}
		if o.Base != "" {
			r.merge = &merge{run: r, revision: o.Base, change: change, mode: several}
		}
		if o.Fix {
			r.fix = &fix{run: r, advise: advise, mode: several}
		}
		if app.workload.Rendered() {
			r.chart = &charted{advise: advise}
		}
		part.Result = r.result
		part.Changes = r.changes(o)
		parts = append(parts, part)
	}
	return parts, nil
}

// checkKernel returns an error if this host cannot run one of the modes: before the first, since that of the last would come after minutes.
func checkKernel(ctx context.Context, modes []string) error {
	kernel := host.Kernel(ctx)
	for _, mode := range modes {
		if supported, because := dataplane.Of(mode).Supported(kernel); !supported {
			return usage.New("--modes="+mode, because, "leave it out")
		}
	}
	return nil
}
