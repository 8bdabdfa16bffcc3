// Package system writes the description of a system that a submission carries: what the machine says of itself is read,
// what only a person knows is marked, and what a person wrote is kept.
//
// In: the fields that the rules ask for, the files of a Linux machine, and nvidia-smi. Out: whether a description is
// good: package check.
package system
