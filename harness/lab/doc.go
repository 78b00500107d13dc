// Package lab is a machine of its own for what this host's kernel lacks, IP_VS: a User-Mode Linux kernel, which is an
// ordinary process of the host, with a Debian root, Docker and the node image of the host on its disks. The same suites
// run in it; what comes back is an ordinary run folder.
//
// The kernel, the root and the disk with the node image are built once and kept, by hashes of what they are made from. A
// run writes to copies of the disks that are thrown away, and to one folder of the host, to which a
// patched kernel confines every mount of the host's files, whatever its options say.
package lab
