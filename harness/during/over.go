package during

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/standstill"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/phrase"
)

const (
	// untilEvery is how often the command of --until runs.
	untilEvery = 2 * time.Second
	// lookEvery is how often pods and nodes are looked at while something is waited for.
	lookEvery = 5 * time.Second
)

// awaitRollout waits until the app has rolled out what the maintenance changed, and returns empty, or why it no longer waits: the rollout
// cannot end, or is late, since it lacked the same for [wholeLimit]. If the credentials have expired it returns empty, since awaitWhole
// reports that.
func (m *maintenance) awaitRollout(ctx context.Context, expired func() string) (cannot, late string) {
	if m.app == nil || m.app.underWay != "" {
		return "", ""
	}
	lacks, since, said := "", time.Time{}, time.Time{}
	_ = poll.Until(ctx, lookEvery, func() (bool, error) { // the caller checks ctx
		now := m.app.lacks(ctx)
		if now != lacks || since.IsZero() {
			lacks, since = now, time.Now()
		}
		if lacks == "" || expired() != "" {
			return true, nil
		}
		met := m.app.standstill.Look()
		if met.Pod != "" && now == notReady(met.Pod) {
			now = "" // the obstacle says that and more
		}
		switch {
		case met.ForGood:
			cannot = "the rollout cannot end: " + met.String()
		case time.Since(since) >= wholeLimit:
			late = joined(fmt.Sprintf("the rollout was not over for %v", wholeLimit), now, met.String())
		case time.Since(said) >= sayEvery:
			said = time.Now()
			m.screen.say(standstill.Progress(joined("waiting until the rollout is over", now), met))
		}
		if cannot == "" && late == "" {
			return false, nil
		}
		if lines := met.LastLines(ctx, m.app.client, m.app.namespace); lines != "" {
			m.screen.say(lines)
		}
		return true, nil
	})
	return cannot, late
}

// joined returns the texts that are not empty, each after a colon.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), ": ")
}

// awaitOver waits until what the command began is over, as --for and --until say, and returns empty, or why that will never be known. A
// rollout may begin as late as that. An --until that fails at first shows that something was under way.
func (m *maintenance) awaitOver(ctx context.Context, s disruption.Stage) (unfinished string) {
	if m.lasts > 0 {
		m.screen.say(fmt.Sprintf("the load goes on for %v more (--for)", m.lasts))
		select {
		case <-time.After(m.lasts):
		case <-ctx.Done():
		}
	}
	if m.until == "" {
		return ""
	}
	m.screen.say("the load goes on until this succeeds (--until): " + secret.Script(m.until))
	said, failures := time.Now(), 0
	_ = poll.Until(ctx, untilEvery, func() (bool, error) { // the caller checks ctx
		c := exec.CommandContext(ctx, "sh", "-c", m.until)
		c.Env = m.environment()
		printed, err := c.CombinedOutput()
		if err == nil {
			if failures > 0 {
				s.Fact(evidence.UntilTurned, phrase.Count(failures, "failure"))
			}
			return true, nil
		}
		failures++
		if why := neverSucceeds(c.ProcessState.ExitCode(), string(printed)); why != "" {
			unfinished = "--until cannot succeed: " + why
		} else if time.Since(said) >= sayEvery {
			said = time.Now()
			m.screen.say("--until has not succeeded yet: " + lastLine(string(printed)))
		}
		return unfinished != "", nil
	})
	return unfinished
}

// neverSucceeds says why a command that failed will fail again, however long one waits; empty if that is not known: most commands end with
// the same code and text each time until what they look for is there.
func neverSucceeds(code int, printed string) string {
	if code == notRun || code == notFound {
		return lastLine(printed)
	}
	return lastLine(misspelt.FindString(printed))
}

// misspelt matches what kubectl, helm and other programs made with cobra print about a command or a flag that they do not have
// (cobra args.go and command.go, pflag errors.go).
var misspelt = regexp.MustCompile(`(?mi)^(error: )?unknown (command "|flag: |shorthand flag: ).*$`)

func lastLine(printed string) string {
	return phrase.Cut(phrase.Printable(command.LastLines(printed, 1)), 200)
}

// checkUntil returns an error for a command of --until that no shell can run. What it names may exist only later.
func checkUntil(until string) error {
	if until == "" {
		return nil
	}
	thing := "--until=" + secret.Script(until)
	if printed, err := exec.Command("sh", "-n", "-c", until).CombinedOutput(); err != nil { // bash repeats the line
		return usage.New(thing, "the shell does not take it: "+phrase.Printable(secret.Script(string(printed))), "try it in a shell first")
	}
	word, _, _ := strings.Cut(strings.TrimSpace(until), " ")
	if !plainWord.MatchString(word) {
		return nil
	}
	if err := exec.Command("sh", "-c", "command -v "+word).Run(); err != nil {
		return usage.New(thing, "the shell knows no command "+word, "try it in a shell first")
	}
	return nil
}

// plainWord matches the name of a command that no shell changes.
var plainWord = regexp.MustCompile(`^[\w./-]+$`)
