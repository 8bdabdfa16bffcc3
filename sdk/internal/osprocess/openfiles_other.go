//go:build !unix

package osprocess

// KeepOpenFiles does nothing where programs inherit only what they are given by name.
func KeepOpenFiles() {}
