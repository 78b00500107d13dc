package manifest

import (
	"fmt"
	"testing"
)

// When objects with annotations of Helm or Argo CD are applied: in an installation, and in an upgrade.
func TestHooks(t *testing.T) {
	const text = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: web\n  annotations: {%s}\nspec: {template: {spec: {restartPolicy: Never}}}\n"
	for _, row := range []struct{ sentence, annotations, installed, upgraded, more string }{
		{"none", "team: web", "no hook", "no hook", ""},
		{"before an installation", "helm.sh/hook: pre-install", "before", "installations", "0 [before-hook-creation]"},
		{"before both, with a weight and a policy", "helm.sh/hook: \"pre-install, pre-upgrade\", helm.sh/hook-weight: \"-5\", " +
			"helm.sh/hook-delete-policy: \"hook-succeeded,hook-failed\"", "before", "before", "-5 [hook-succeeded hook-failed]"},
		{"after an upgrade", "helm.sh/hook: post-upgrade", "upgrades", "after", "0 [before-hook-creation]"},
		{"before and after", "helm.sh/hook: \"pre-install,post-install\"", "before after", "installations", "0 [before-hook-creation]"},
		{"a test", "helm.sh/hook: test", "tests", "tests", "0 [before-hook-creation]"},
		{"a test of Helm 2", "helm.sh/hook: test-success", "tests", "tests", "0 [before-hook-creation]"},
		{"a deletion and a rollback", "helm.sh/hook: \"pre-delete,post-rollback\"", "deletions", "deletions", "0 [before-hook-creation]"},
		{"one that Helm does not know, which it leaves out as a whole", "helm.sh/hook: \"crd-install,pre-install\"", "an unknown kind",
			"an unknown kind", "0 [before-hook-creation]"},
		{"in capital letters, which Helm takes", "helm.sh/hook: Pre-Install", "before", "installations", "0 [before-hook-creation]"},
		{"before a sync", "argocd.argoproj.io/hook: PreSync", "before", "before", "0 [before-hook-creation]"},
		{"within one, in a wave", "argocd.argoproj.io/hook: Sync, argocd.argoproj.io/sync-wave: \"2\"", "within", "within",
			"2 [before-hook-creation]"},
		{"after one", "argocd.argoproj.io/hook: PostSync, argocd.argoproj.io/hook-delete-policy: HookSucceeded", "ready", "ready",
			"0 [hook-succeeded]"},
		{"a failed one", "argocd.argoproj.io/hook: SyncFail", "failures", "failures", "0 [before-hook-creation]"},
		{"a deletion by Argo CD", "argocd.argoproj.io/hook: PostDelete", "deletions", "deletions", "0 [before-hook-creation]"},
		{"one that it skips", "argocd.argoproj.io/hook: Skip", "Argo CD that it skips", "Argo CD that it skips", "0 [before-hook-creation]"},
		{"Argo CD's counts before Helm's", "argocd.argoproj.io/hook: PostSync, helm.sh/hook: pre-install", "ready", "ready",
			"0 [before-hook-creation]"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			objects, err := Parse("app.yaml", fmt.Appendf(nil, text, row.annotations))
			if err != nil {
				t.Fatal(err)
			}
			hook, is := HookOf(objects[0])
			for upgrade, want := range map[bool]string{false: row.installed, true: row.upgraded} {
				got := "no hook"
				if run, idle := hook.Moments(upgrade); is && len(run) > 0 {
					got = ""
					for i, m := range run {
						got += []string{"", " "}[min(i, 1)] + string(m)
					}
				} else if is {
					got = string(idle)
				}
				if got != want {
					t.Errorf("upgrade %v: %s, want %s", upgrade, got, want)
				}
			}
			if got := fmt.Sprint(hook.Weight, hook.Delete); is && got != row.more {
				t.Errorf("weight and policies are %s, want %s", got, row.more)
			}
		})
	}
}
