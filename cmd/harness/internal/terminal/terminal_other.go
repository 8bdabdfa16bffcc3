//go:build !unix

// Package terminal asks what a stream is connected to.
package terminal

import "os"

// Is reports whether f is a terminal; where that cannot be asked, it is taken not to be.
func Is(*os.File) bool { return false }

// Width is the terminal's number of columns; 0: not known.
func Width(*os.File) int { return 0 }
