//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A proxy is this node's kube-proxy, as its HTTP server shows it.
type proxy struct {
	address string // of its metrics server, such as http://localhost:10249
	client  *http.Client
}

// A lastSync is when kube-proxy last finished writing its rules of one address family.
type lastSync struct {
	family string // IPv4, IPv6, or "-" if kube-proxy does not report it
	at     time.Time
}

const proxyAddress = "http://localhost:10249"

// newProxy returns the kube-proxy at an address. It asks for uncompressed answers, which take kube-proxy less time.
func newProxy(address string) proxy {
	return proxy{address, &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: 2 * time.Second}}
}

// proxyTimeout is how long a kube-proxy that restarts may take; it is Rollcall's own choice.
const proxyTimeout = 10 * time.Second

// mode waits until kube-proxy returns its mode. The error says why it did not within proxyTimeout or until
// the run ended.
func (p proxy) mode(run context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(run, proxyTimeout)
	defer cancel()
	for {
		var mode []byte
		err := p.get(ctx, "/proxyMode", func(body io.Reader) (err error) {
			mode, err = io.ReadAll(io.LimitReader(body, 100))
			return err
		})
		if err == nil {
			return strings.TrimSpace(string(mode)), nil
		}
		select {
		case <-ctx.Done():
			return "", errors.Join(run.Err(), err)
		case <-time.After(usualCadence().ask):
		}
	}
}

// A syncState is what kube-proxy reports about its syncs.
type syncState struct {
	last     []lastSync // one for each address family that has been synced
	failures int        // failed syncs since it started
}

func (p proxy) syncs(ctx context.Context) (s syncState, err error) {
	err = p.get(ctx, "/metrics", func(body io.Reader) (err error) {
		s, err = parseSyncs(body)
		return err
	})
	return s, err
}

func (p proxy) get(ctx context.Context, path string, read func(io.Reader) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("ask kube-proxy for %s: %w", path, err)
		}
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address+path, nil)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", response.Status)
	}
	return read(response.Body)
}

// Metrics of kube-proxy (Kubernetes v1.37.2, pkg/proxy/metrics/metrics.go). Each mode counts its own failures, by address family.
const (
	lastSyncMetric         = "kubeproxy_sync_proxy_rules_last_timestamp_seconds"
	nftablesFailuresMetric = "kubeproxy_sync_proxy_rules_nftables_sync_failures_total"
	iptablesFailuresMetric = "kubeproxy_sync_proxy_rules_iptables_restore_failures_total"
)

// parseSyncs finds the metrics of syncs in a page. It leaves out a family that has never been synced.
func parseSyncs(page io.Reader) (s syncState, err error) {
	lines := bufio.NewScanner(page)
	for lines.Scan() {
		name, _, _ := bytes.Cut(lines.Bytes(), []byte(" "))
		name, _, _ = bytes.Cut(name, []byte("{"))
		metric := string(name)
		if metric != lastSyncMetric && metric != nftablesFailuresMetric && metric != iptablesFailuresMetric {
			continue
		}
		labels, text, _ := strings.Cut(strings.TrimPrefix(lines.Text(), metric), " ")
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return syncState{}, fmt.Errorf("read %s: %w", metric, err)
		}
		switch {
		case metric != lastSyncMetric:
			s.failures += int(value)
		case value > 0:
			whole, part := math.Modf(value)
			s.last = append(s.last, lastSync{family(labels), time.Unix(int64(whole), int64(part*1e9))})
		}
	}
	return s, lines.Err()
}

func family(labels string) string {
	_, rest, _ := strings.Cut(labels, `ip_family="`)
	if value, _, closed := strings.Cut(rest, `"`); closed {
		return value
	}
	return "-"
}
