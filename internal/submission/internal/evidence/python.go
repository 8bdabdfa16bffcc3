package evidence

import (
	"errors"
	"fmt"
	"strings"
)

// pyError is a Python exception that ends an official script: the last line of what it prints.
type pyError string

func (e pyError) Error() string { return string(e) }

// Is makes all of them ErrDied.
func (e pyError) Is(target error) bool { return target == ErrDied }

// ErrDied is every Python exception.
var ErrDied = errors.New("the official script dies")

// Died is the error of a script that ends with a Python exception.
func Died(format string, args ...any) error { return pyError(fmt.Sprintf(format, args...)) }

// Traceback is how a script that died ends its text.
func Traceback(err error) string { return "Traceback (most recent call last):\n" + err.Error() + "\n" }

// sysExit is a script's end by sys.exit with a text.
type sysExit string

func (e sysExit) Error() string { return string(e) }

// Ending is what a script prints at its end by err.
func Ending(err error) string {
	if text, ok := err.(sysExit); ok { //nolint:errorlint // never wrapped
		return string(text) + "\n"
	}
	return Traceback(err)
}

// ErrorText is a Python exception without its name.
func ErrorText(err error) string {
	_, text, _ := strings.Cut(err.Error(), ": ")
	return text
}
