// Package setup makes this machine able to run kind clusters: a container engine has to run, and its privileged containers have to start.
//
// It installs the Debian package docker.io when there is no engine, starts dockerd when none runs, and registers the runtime wrapper of
// package ociruntime with an engine that it installed or started itself, or with any engine when ROLLCALL_HOST_SETUP=1 is set. Everything
// else it only reports.
package setup
