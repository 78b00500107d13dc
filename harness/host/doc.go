// Package host finds out what this machine can run and, where it may, makes it able to run kind
// clusters: a container engine, started, whose privileged containers start.
//
// What it changes is little and named: it installs the Debian package docker.io when there is no
// engine, starts dockerd when none runs, and registers the runtime wrapper of package
// ociruntime with an engine that it installed or started itself, or with any engine when
// ROLLCALL_HOST_SETUP=1 says so. Everything else it only reports.
package host
