//go:build unix && !linux

package osprocess

// KeepOpenFiles has the kernel close all descriptors but the three standard ones in every program that this process
// starts from now on. In this process they stay open: a secret's file may be one of them.
func KeepOpenFiles() { keepEach() }
