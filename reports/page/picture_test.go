package page_test

import (
	"bytes"
	"os"
	"testing"

	"example.com/rollcall/reports/page"
)

// The picture of a recorded rollout, which the README shows.
func TestPicture(t *testing.T) {
	var got bytes.Buffer
	if err := page.Picture(&got, "../testdata/recorded/nftables-undrained"); err != nil {
		t.Fatal(err)
	}
	const golden = "../timeline.svg"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s is another picture, -update rewrites it", golden)
	}
}
