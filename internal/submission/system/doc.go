// Package system writes a submission's description of a system. It reads the machine's own information, marks fields
// that a person must fill in, and keeps those already filled in.
//
// In scope: the fields that the rules require, the files of a Linux machine, and nvidia-smi. Out of scope: checking a
// description (package check).
package system
