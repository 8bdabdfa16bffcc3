// Package sandbox runs one untrusted program, written by a model, under limits and without access to this machine's
// files, network and processes.
//
// On Linux a program gets user, mount, process, network, IPC and host name spaces of its own: a root of read-only
// folders that are named one by one, a /tmp of its own in memory, no /proc, no network, no process but its own, no
// capability, and a filter of system calls. It is process 1 there, so that all that it started ends with it. The
// set-up is done by this binary, started a second time (stage_linux.go), which then becomes the program: any binary
// that links this package can run programs, tests too.
//
// In: a command, what it reads, limits. Out: what is run and what its output means (package accuracy/programs).
//
// A Box that is Weak does without the spaces: limits of the system, of time and of output alone. SECURITY.md says what
// a program can do then.
package sandbox
