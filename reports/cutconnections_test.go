package reports

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func TestIdleConnectionsThatATimerCloses(t *testing.T) {
	type use struct {
		pod        string
		sent, idle time.Duration // seconds
	}
	for _, row := range []struct {
		sentence string
		uses     []use
		want     time.Duration // seconds; 0: no timer
	}{
		{"each was idle for as long, and a pod goes on", []use{{"a", 10, 5}, {"b", 12, 5}, {"a", 31, 5}}, 5},
		{"none was closed", nil, 0},
		{"one connection shows no timer", []use{{"a", 10, 5}}, 0},
		{"two pods that end at different times show none either", []use{{"a", 10, 5}, {"b", 31, 5}}, 0},
		{"all were closed within the time in which clients use theirs", []use{{"a", 10, 5}, {"a", 15, 5}}, 0},
		{"connections were idle for different times", []use{{"a", 10, 5}, {"a", 31, 7}}, 0},
		{"no server has so short a timer", []use{{"a", 0, 0}, {"a", 20, 0}}, 0},
	} {
		cut := cutConnections{}
		for _, u := range row.uses {
			cut[u.pod] = append(cut[u.pod], timeline.Hit{Idle: u.idle * time.Second, Hit: evidence.Hit{Sent: u.sent * time.Second}})
		}
		if age, by := cut.idle(); by != (row.want > 0) || by && age != row.want*time.Second {
			t.Errorf("%s: %v, %t", row.sentence, age, by)
		}
	}
}
