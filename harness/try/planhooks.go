package try

import (
	"slices"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/verdict/phrase"
)

// hookLines says which hooks of Helm and Argo CD run when, and which do not.
func (p Plan) hookLines() (lines []string) {
	for _, when := range []struct {
		hooks   []manifest.Object
		upgrade bool
		moment  manifest.Moment
		says    string
	}{
		{p.deployHooks, false, manifest.Before, "before the app is created"},
		{p.deployHooks, false, manifest.Within, "in its order"},
		{p.deployHooks, false, manifest.After, "once it is created"},
		{p.deployHooks, false, manifest.Ready, "once it is ready"},
		{p.change.deployHooks, true, manifest.Before, "before the change is applied"},
		{p.change.deployHooks, true, manifest.Within, "in its order"},
		{p.change.deployHooks, true, manifest.After, "once it is applied"},
		{p.change.deployHooks, true, manifest.Ready, "once it is ready"},
	} {
		if run := running(when.hooks, when.upgrade, when.moment); len(run) > 0 {
			lines = append(lines, "hooks:     "+when.says+": "+phrase.Cut(listed(run), 108-len(when.says)))
		}
	}
	return append(lines, p.idleHooks()...)
}

// idleHooks names the hooks that do not run, by what they are for.
func (p Plan) idleHooks() (lines []string) {
	run := slices.Concat(p.installed(), p.change.applied())
	idle := map[manifest.Moment][]manifest.Object{}
	var order []manifest.Moment
	for _, list := range []struct {
		hooks   []manifest.Object
		upgrade bool
	}{{p.deployHooks, false}, {p.change.deployHooks, true}} {
		for _, o := range list.hooks {
			hook, _ := manifest.HookOf(o)
			_, of := hook.Moments(list.upgrade)
			if slices.ContainsFunc(run, o.Same) || slices.ContainsFunc(idle[of], o.Same) {
				continue
			}
			if idle[of] == nil {
				order = append(order, of)
			}
			idle[of] = append(idle[of], o)
		}
	}
	for _, of := range order {
		text := "left out:  " + phrase.Count(len(idle[of]), "hook") + " of " + string(of) + ": "
		lines = append(lines, text+phrase.Cut(listed(idle[of]), 119-len(text)))
	}
	return lines
}
