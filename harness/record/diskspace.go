package record

import (
	"fmt"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
)

// What a request takes in the run folder, in bytes, and what judging may write there. Measured with 100,000 hits of a typical run
// (harness/evidence/store/bench_test.go): 255 in hits.segment, 143 in arrivals.segment, 235 in flows.segment, and 7, 3 and 7 in the
// parquet files, which are written beside the segments. A page of 5 MB is a large one.
const (
	hitBytes     = 255 + 10
	arrivalBytes = 145 + 5
	flowBytes    = 235 + 10
	finalBytes   = 10 + 5 + 10
	reportBytes  = 16 << 20
)

// leastLoad is how long the load has to fit on the disk, at least.
const leastLoad = time.Minute

// A diskSpace is the space for a load on the disk of the run folder.
type diskSpace struct {
	folder           string
	free             func() int64 // bytes
	requests, record int64        // per second: how many, and the bytes that they take
}

// newDiskSpace returns the space for lanes whose pods log arrivals, and whose nodes report connections, or do not.
func newDiskSpace(folder string, free func() int64, lanes []evidence.Lane, arrivals, flows bool) diskSpace {
	d := diskSpace{folder: folder, free: free}
	each := int64(hitBytes)
	if arrivals {
		each += arrivalBytes
	}
	if flows {
		each += flowBytes
	}
	for _, lane := range lanes {
		d.requests += int64(lane.Rate)
	}
	d.record = max(1, d.requests*each)
	return d
}

// left returns for how long the load can go on, after it was recorded for a while.
func (d diskSpace) left(recorded time.Duration) time.Duration {
	final := int64(recorded.Seconds()) * d.requests * finalBytes
	return time.Duration((d.free()-reportBytes-final)/d.record) * time.Second
}

// check returns a [usage.Error] if a load of a length does not fit.
func (d diskSpace) check(length time.Duration) error {
	if length = max(length, leastLoad); d.left(0) >= length {
		return nil
	}
	need := reportBytes + int64(length.Seconds())*d.record
	return usage.New("disk of "+d.folder, fmt.Sprintf("%s is free, and %d requests a second take %s in %v", mib(d.free()), d.requests,
		mib(need), length.Round(time.Second)), "free some space")
}

// full says that the load no longer fits, after it was recorded for a while; empty while it does.
func (d diskSpace) full(recorded time.Duration) string {
	if d.left(recorded) >= leastLoad {
		return ""
	}
	return fmt.Sprintf("disk of %s: %s is free, and the load takes %s a minute", d.folder, mib(d.free()), mib(60*d.record))
}

func mib(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }
