// Package lab runs suites in a virtual machine with IP_VS where this host's kernel has none. The machine is a User-Mode Linux
// kernel, an ordinary process of the host, with a Debian root, Docker and the host's node image on its disks. The result is an
// ordinary run folder.
//
// The kernel, the root and the disk with the node image are built once and kept, under names with hashes of their inputs. A
// run writes to copies of the disks, which are thrown away, and to one folder of the host. The kernel is patched so that a
// mount of the host's files, whatever its options say, is of that folder.
package lab
