package evidence

import (
	"errors"
	"fmt"
	"strings"
)

// pyError is a Python exception that ends an official script. Its text is the last line of the script's output.
type pyError string

func (e pyError) Error() string { return string(e) }

// Is reports that all Python exceptions are ErrDied.
func (e pyError) Is(target error) bool { return target == ErrDied }

// ErrDied matches every Python exception that ends a script.
var ErrDied = errors.New("the official script dies")

// ErrDiedf returns the error of a script that ends with a Python exception.
func ErrDiedf(format string, args ...any) error { return pyError(fmt.Sprintf(format, args...)) }

// Traceback returns the end of the output of a script with an uncaught exception.
func Traceback(err error) string { return "Traceback (most recent call last):\n" + err.Error() + "\n" }

// sysExit is the end of a script by sys.exit with a text.
type sysExit string

func (e sysExit) Error() string { return string(e) }

// EndingText returns the output of a script when it ends by err.
func EndingText(err error) string {
	if text, ok := err.(sysExit); ok { //nolint:errorlint // never wrapped
		return string(text) + "\n"
	}
	return Traceback(err)
}

// ErrorText returns the text of a Python exception without its class name.
func ErrorText(err error) string {
	_, text, _ := strings.Cut(err.Error(), ": ")
	return text
}
