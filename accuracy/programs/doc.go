// Package programs checks whether Python programs that models wrote pass their tests. It follows the official checkers
// of LiveCodeBench and mxeval (MBXP).
//
// In: sources and tests; the driver, a text in Python that runs a program in one process and judges it in another. Out:
// starting and confining processes. The caller gives Driver and a Job's DriverInput to a sandboxed interpreter (package
// internal/sandbox), and its output to ReadVerdict.
package programs
