package try

import (
	"cmp"
	"context"
	"slices"

	"example.com/rollcall/harness/manifest"
)

// An order is what Helm and Argo CD do one after the other when an app is installed or upgraded: hooks, and what is the app's, by waves.
type order struct {
	to      *target
	objects []manifest.Object // without hooks
	hooks   []manifest.Object
	upgrade bool
	write   func(context.Context, []manifest.Object) error // creates objects, or also applies their next version
	ready   func(context.Context) error                    // waits until all workloads that were created are ready
}

// apart returns what of manifests is an app's, and the hooks.
func apart(all []manifest.Object) (objects, hooks []manifest.Object) {
	for _, o := range all {
		if _, is := manifest.HookOf(o); is {
			hooks = append(hooks, o)
		} else {
			objects = append(objects, o)
		}
	}
	return objects, hooks
}

// running returns the hooks that run at one of these moments, in their order: by weight, and then by name.
func running(hooks []manifest.Object, upgrade bool, at ...manifest.Moment) (all []manifest.Object) {
	for _, o := range hooks {
		hook, _ := manifest.HookOf(o)
		run, _ := hook.Moments(upgrade)
		if slices.ContainsFunc(run, func(m manifest.Moment) bool { return slices.Contains(at, m) }) {
			all = append(all, o)
		}
	}
	slices.SortStableFunc(all, func(a, b manifest.Object) int {
		first, _ := manifest.HookOf(a)
		second, _ := manifest.HookOf(b)
		return cmp.Or(cmp.Compare(first.Weight, second.Weight), cmp.Compare(a.GetName(), b.GetName()))
	})
	return all
}

// installed returns all that is created when the app is installed: its objects, and hooks.
func (a *App) installed() []manifest.Object {
	return slices.Concat(a.Objects, running(a.deployHooks, false, manifest.Before, manifest.Within, manifest.After, manifest.Ready))
}

// applied returns all that the change applies: objects, and the hooks of an upgrade.
func (c Change) applied() []manifest.Object {
	return slices.Concat(c.objects, running(c.deployHooks, true, manifest.Before, manifest.Within, manifest.After, manifest.Ready))
}

// install creates the app, which must not exist yet, and runs the hooks of an installation.
func (t *target) install(ctx context.Context, a *App) error {
	if _, err := t.missing(ctx, a.installed()); err != nil {
		return err
	}
	return order{to: t, objects: a.Objects, hooks: a.deployHooks, write: t.create,
		ready: func(ctx context.Context) error { return t.awaitReady(ctx, t.kube, a) }}.do(ctx)
}

// upgrade applies the next version of the app, creates what only that has, which must not exist yet, and runs the hooks of an upgrade.
func (t *target) upgrade(ctx context.Context, a *App, c Change) error {
	write := func(ctx context.Context, objects []manifest.Object) error {
		var known, others []manifest.Object // others are not of the first version
		for _, o := range objects {
			if t.made(o) {
				known = append(known, o)
			} else {
				others = append(others, o)
			}
		}
		if err := t.create(ctx, others); err != nil {
			return err
		}
		return t.update(ctx, known)
	}
	return order{to: t, objects: c.objects, hooks: c.deployHooks, upgrade: true, write: write,
		ready: func(ctx context.Context) error { return t.awaitReady(ctx, t.kube, a) }}.do(ctx)
}

func (o order) do(ctx context.Context) error {
	rest := o.objects
	if hooks := o.at(manifest.Before); len(hooks) > 0 {
		var early []manifest.Object
		early, rest = o.early()
		if err := o.write(ctx, early); err != nil {
			return err
		}
		if err := o.to.runHooks(ctx, hooks); err != nil {
			return err
		}
	}
	if err := o.inWaves(ctx, rest); err != nil {
		return err
	}
	if err := o.to.runHooks(ctx, o.at(manifest.After)); err != nil {
		return err
	}
	hooks := o.at(manifest.Ready)
	if len(hooks) == 0 {
		return nil
	}
	if err := o.ready(ctx); err != nil {
		return err
	}
	return o.to.runHooks(ctx, hooks)
}

func (o order) at(moment manifest.Moment) []manifest.Object {
	return running(o.hooks, o.upgrade, moment)
}

// early returns the objects without which hooks cannot be created: namespaces, and definitions of kinds; and the rest.
func (o order) early() (early, rest []manifest.Object) {
	for _, object := range o.objects {
		if slices.Contains(first[:2], object.GroupVersionKind().GroupKind()) {
			early = append(early, object)
		} else {
			rest = append(rest, object)
		}
	}
	return early, rest
}

// inWaves writes objects one wave of Argo CD after the other, each when the one before is ready, with the hooks of the wave. Without waves,
// there is one.
func (o order) inWaves(ctx context.Context, objects []manifest.Object) error {
	hooks := o.at(manifest.Within)
	var waves []int
	for _, object := range slices.Concat(objects, hooks) {
		waves = append(waves, manifest.Wave(object))
	}
	slices.Sort(waves)
	for i, wave := range slices.Compact(waves) {
		others := func(object manifest.Object) bool { return manifest.Wave(object) != wave }
		if i > 0 {
			if err := o.ready(ctx); err != nil {
				return err
			}
		}
		if err := o.write(ctx, slices.DeleteFunc(slices.Clone(objects), others)); err != nil {
			return err
		}
		if err := o.to.runHooks(ctx, slices.DeleteFunc(slices.Clone(hooks), others)); err != nil {
			return err
		}
	}
	return nil
}
