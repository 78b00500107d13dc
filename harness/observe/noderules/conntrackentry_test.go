//go:build linux

package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// recordedConnections are events from Linux 6.18 in a network namespace like that of the namespace tests, on a little-endian
// machine: of a TCP connection to the Service's port 80, and of UDP to port 80 of the client.
func recordedConnections(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var recordings = []string{"tcp4", "tcp6", "udp4", "udp6"}

// with returns a message with one more attribute at its end.
func with(message []byte, kind int, value ...byte) []byte {
	message = binary.NativeEndian.AppendUint16(slices.Clone(message), uint16(4+len(value)))
	message = append(binary.NativeEndian.AppendUint16(message, uint16(kind)), value...)
	message = append(message, make([]byte, -len(message)&3)...)
	binary.NativeEndian.PutUint32(message, uint32(len(message)))
	return message
}

func TestParse(t *testing.T) {
	inZone := with(recordedConnections(t, "tcp4"), ofZone, 0, 5)
	for _, tc := range []struct {
		sentence        string
		message         []byte
		client, to, pod string
	}{
		{"IPv4", recordedConnections(t, "tcp4"), client4 + ":60337", service4 + ":80", "10.244.1.2:8080"},
		{"IPv6", recordedConnections(t, "tcp6"), "[" + client6 + "]:37125", "[" + service6 + "]:80", "[fd00:10:244:1::2]:8080"},
		{"UDP does not count", recordedConnections(t, "udp4"), "invalid AddrPort", "invalid AddrPort", "invalid AddrPort"},
		{"UDP over IPv6 does not count", recordedConnections(t, "udp6"), "invalid AddrPort", "invalid AddrPort", "invalid AddrPort"},
		{"a connection of another zone does not count", inZone, "invalid AddrPort", "invalid AddrPort", "invalid AddrPort"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			messages, _, err := splitMessages(tc.message)
			if err != nil {
				t.Fatal(err)
			}
			c, err := parse(messages[0])
			if err != nil {
				t.Fatal(err)
			}
			if c.client.String() != tc.client || c.to.String() != tc.to || c.pod.String() != tc.pod {
				t.Errorf("%s to %s is sent to %s", c.client, c.to, c.pod)
			}
		})
	}
}

func TestAMessageThatIsCutShortIsMalformed(t *testing.T) {
	for _, file := range recordings[:2] {
		whole := recordedConnections(t, file)
		for size := 16; size < 140; size += 4 {
			part := slices.Clone(whole[:size])
			binary.NativeEndian.PutUint32(part, uint32(size))
			messages, _, err := splitMessages(part)
			if err == nil {
				_, err = parse(messages[0])
			}
			tuples := map[string]int{"tcp4": 124, "tcp6": 172}[file] // without them there is no connection
			if size < tuples && err == nil {
				t.Errorf("%s: the first %d bytes were parsed", file, size)
			}
		}
	}
}

// changed returns a recording with some bytes changed, or cut short.
func changed(t *rapid.T, originals [][]byte) []byte {
	message := slices.Clone(rapid.SampledFrom(originals).Draw(t, "recording"))
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		message[rapid.IntRange(0, len(message)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
	}
	return message[:len(message)-rapid.IntRange(0, len(message)).Draw(t, "cut")*rapid.IntRange(0, 1).Draw(t, "is cut")]
}

func originals(t *testing.T) (all [][]byte) {
	for _, file := range recordings {
		all = append(all, recordedConnections(t, file))
	}
	return all
}

func TestAnyBytesAreParsedOrMalformed(t *testing.T) {
	all := originals(t)
	rapid.Check(t, func(t *rapid.T) {
		ofOne := rapid.Custom(func(t *rapid.T) []byte { return changed(t, all) })
		datagram := rapid.OneOf(rapid.SliceOf(rapid.Byte()), ofOne).Draw(t, "datagram")
		messages, _, _ := splitMessages(datagram)
		for _, m := range append(messages, message{Body: datagram}) {
			if c, err := parse(m); err != nil && c != (connection{}) {
				t.Fatalf("%v in spite of %v", c, err)
			}
		}
	})
}
