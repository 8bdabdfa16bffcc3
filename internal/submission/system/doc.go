// Package system writes a submission's description of a system: it reads what the machine reports, marks what only a
// person knows, and keeps what a person wrote.
//
// In: the fields that the rules ask for, the files of a Linux machine, and nvidia-smi. Out: whether a description is
// good: package check.
package system
