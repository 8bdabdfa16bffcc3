// Package osprocess manages the processes of harness, plugins and backends: it keeps a plugin's standard output for its
// handshake, ends a plugin with its harness, passes no open files to programs, and reads the processor time of
// processes.
//
// In: this process, and others by their numbers. Out: descriptors that are handed down on purpose, which os/exec's
// ExtraFiles does; starting and ending plugins, as sdk/host does.
package osprocess
