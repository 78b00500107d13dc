package evidence

import "strconv"

// codes names the codes of RPCs that are not OK, from 1 on (google.golang.org/grpc/codes).
var codes = [...]string{"Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists", "PermissionDenied",
	"ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented", "Internal", "Unavailable", "DataLoss",
	"Unauthenticated"}

// StatusName returns the status of a hit as text: the number of HTTP, or the name of an RPC's code.
func StatusName(status int16) string {
	if status > 0 && int(status) <= len(codes) {
		return codes[status-1]
	}
	return strconv.Itoa(int(status))
}
