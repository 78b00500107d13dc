package evidence_test

import (
	"testing"

	"google.golang.org/grpc/codes"

	"example.com/rollcall/harness/evidence"
)

func TestStatusName(t *testing.T) {
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		if got := evidence.StatusName(int16(code)); got != code.String() {
			t.Errorf("the name of %d is %s, want %s", code, got, code)
		}
	}
	for status, want := range map[int16]string{0: "0", 17: "17", 200: "200", 503: "503"} {
		if got := evidence.StatusName(status); got != want {
			t.Errorf("the name of %d is %s, want %s", status, got, want)
		}
	}
}
