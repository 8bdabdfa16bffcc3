//go:build unix && !linux

package osprocess

// KeepOpenFiles makes the kernel close all descriptors except the three standard ones in every program that this
// process starts from now on. In this process they stay open, because one of them may be a secret's file.
func KeepOpenFiles() { keepEach() }
