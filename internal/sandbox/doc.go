// Package sandbox runs one untrusted program, written by a model, under limits and without access to this machine's
// files, network and processes.
//
// On Linux a program runs in its own user, mount, process, network, IPC and host namespaces. It sees a root of listed
// read-only folders and its own /tmp in memory, but no /proc, no network and no other processes. It has no
// capabilities, and its system calls are filtered. It is process 1, so all processes that it starts end with it. This
// binary starts itself a second time for the set-up (stage_linux.go) and then becomes the program. Any binary that
// links this package can therefore run programs, including test binaries.
//
// In scope: a command, its input, limits. Out of scope: choosing programs and interpreting their output (package
// internal/programs).
//
// A weak Box has no namespaces, only limits of the system, of time and of output. SECURITY.md describes the permissions
// of its programs.
package sandbox
