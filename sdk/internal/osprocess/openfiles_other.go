//go:build !unix

package osprocess

// KeepOpenFiles does nothing, because programs on this system inherit only explicitly passed files.
func KeepOpenFiles() {}
