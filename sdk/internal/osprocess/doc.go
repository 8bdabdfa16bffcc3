// Package osprocess has what the harness, plugins and backends do about the processes that they are and start: a
// plugin's standard output is kept for its handshake, a plugin ends with its harness, programs inherit no open files,
// and the processor time of processes is read.
//
// In: this process, and others by their numbers. Out: descriptors that are handed down on purpose, which os/exec's
// ExtraFiles does; starting and ending plugins, as sdk/host does.
package osprocess
