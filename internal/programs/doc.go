// Package programs checks whether Python programs that models wrote pass their tests. It follows the official checkers
// of LiveCodeBench and mxeval (MBXP).
//
// In scope: sources and tests; the driver, a Python script that runs a program in one process and judges it in another.
// Out of scope: starting and confining processes. The caller passes Driver and a Job's DriverInput to a sandboxed
// interpreter (package internal/sandbox), and the interpreter's output to ReadVerdict.
package programs
