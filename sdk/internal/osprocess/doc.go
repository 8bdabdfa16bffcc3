// Package osprocess manages the processes of harness, plugins and backends. It reserves a plugin's standard output for
// the handshake, ends a plugin with its harness, prevents started programs from inheriting open files, and reads the
// CPU time of processes.
//
// In scope: this process, and others by their numbers. Out of scope: descriptors passed on purpose (os/exec's
// ExtraFiles); starting and ending plugins (sdk/host).
package osprocess
