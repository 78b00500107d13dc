package advice

import (
	"fmt"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

var killedAtGrace = advice{
	code: verdict.Code{
		Code: "RC3018", ID: "killed-at-grace",
		Causes: "the app had not ended by itself when its grace period was over, so the kubelet killed it (exit code 137): it ignores SIGTERM, or " +
			"waits for connections that do not end, such as streams. What was open then was cut.",
		Do: "have the app bound its own shutdown to less than terminationGracePeriodSeconds minus the preStop hook, or make the grace period " +
			"longer for what takes longer. A longer preStop hook leaves the app less.",
	},
	says: func(a *advisedApp) (sign, remedy string) {
		killed := a.seen[timeline.KilledAtGrace]
		_, streams := a.longestStream()
		measured := ""
		switch {
		case killed.Count == 0:
			return "", ""
		case streams == 0:
			measured = ": requests alone were measured, not streams"
		}
		return fmt.Sprintf("container %s of %s was killed at the end of the grace period, %s after the deletion (exit code 137), and what was open "+
				"then was cut%s", killed.Text, phrase.Count(killed.Count, "pod"), phrase.Duration(killed.For), measured),
			"have the app bound its own shutdown to less than the grace period without the hook, or make the grace period longer"
	},
}

var outOfMemory = advice{
	code: verdict.Code{
		Code: "RC3019", ID: "out-of-memory",
		Causes: "the kernel killed a container that used more memory than its limit; its connections were reset.",
		Do:     "raise the limit, or have the app use less: new pods under full load, at once, use more than they do later.",
	},
	says: func(a *advisedApp) (sign, remedy string) {
		killed := a.seen[timeline.OutOfMemory]
		if killed.Count == 0 {
			return "", ""
		}
		return fmt.Sprintf("container %s of pod %s was killed for its memory (OOMKilled, %s)", killed.Text, killed.Pod,
			phrase.Count(killed.Count, "time")), "raise its memory limit, or have the app use less"
	},
}
