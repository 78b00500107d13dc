package page_test

import (
	"bytes"
	"testing"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/reports/page"
)

// The picture of a recorded rollout, which the README shows.
func TestPicture(t *testing.T) {
	var got bytes.Buffer
	if err := page.Picture(&got, "../testdata/recorded/nftables-undrained"); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../timeline.svg", got.Bytes())
}
