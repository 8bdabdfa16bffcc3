package sdk

import (
	"errors"
	"syscall"
)

// Classes of errors. A benchmark wraps them; they survive the way to the harness, where errors.Is finds them.
var (
	// ErrUsage: what the user named does not exist (model, backend, option, value).
	ErrUsage = errors.New("usage")
	// ErrData: the data set or the model file is missing or wrong.
	ErrData = errors.New("data")
)

// classifiedError is an error of a class whose text does not name the class.
type classifiedError struct {
	error
	class error
}

func (c classifiedError) Unwrap() error        { return c.error }
func (c classifiedError) Is(target error) bool { return target == c.class }

// Usage marks err as ErrUsage and keeps its text. A nil error stays nil.
func Usage(err error) error { return classifyError(err, ErrUsage) }

// Data marks err as ErrData and keeps its text. A nil error stays nil.
func Data(err error) error { return classifyError(err, ErrData) }

func classifyError(err, class error) error {
	if err == nil {
		return nil
	}
	return classifiedError{err, class}
}

// OutOfFiles reports whether a file or a connection could not be opened because this process or the system has reached
// its limit of open files. The error is always of class ErrUsage: the limit is too low for the request.
func OutOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// OutOfSpace reports whether a file could not be written for lack of space: on the disk, in the user's quota, or within
// the size limit of a file. The error is always of class ErrUsage: the chosen location is too small.
func OutOfSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
