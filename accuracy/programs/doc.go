// Package programs checks whether Python programs that models wrote pass their tests. It follows the official checkers
// of LiveCodeBench and of mxeval, which scores MBXP.
//
// In: sources and tests; the driver, a text in Python that runs a program in one process and judges it in another. Out:
// starting processes, and keeping a program in its place: the caller gives Driver and a Job's Input to an interpreter
// behind walls (package internal/sandbox), and what comes back to Judge.
package programs
