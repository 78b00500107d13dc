package run

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestLineLog(t *testing.T) {
	var file strings.Builder
	log := newLineLog(&file)
	fmt.Fprintln(log, "building the images")
	of := log.of("nftables", "rollout/drained")
	fmt.Fprintf(of, "panic: nil map\n%s", "goroutine 7:\n\tmain.go:3\n")
	fmt.Fprint(of, "without an end")
	const want = `time=T level=INFO msg="building the images"
time=T level=INFO msg="panic: nil map" mode=nftables scenario=rollout/drained
time=T level=INFO msg="goroutine 7:" mode=nftables scenario=rollout/drained
time=T level=INFO msg="\tmain.go:3" mode=nftables scenario=rollout/drained
time=T level=INFO msg="without an end" mode=nftables scenario=rollout/drained
`
	if got := regexp.MustCompile(`time=\S+`).ReplaceAllString(file.String(), "time=T"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
