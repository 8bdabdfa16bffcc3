//go:build !unix

package truncate

// hasOneName returns false: it is unknown on this system whether a file has other names.
func hasOneName(string) bool { return false }
