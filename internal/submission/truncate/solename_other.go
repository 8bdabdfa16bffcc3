//go:build !unix

package truncate

// soleName returns false: it is unknown on this system whether a file has other names.
func soleName(string) bool { return false }
