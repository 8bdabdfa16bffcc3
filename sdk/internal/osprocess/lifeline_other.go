//go:build !unix

package osprocess

func endGroup() {}
