package sdk

import (
	"errors"
	"syscall"
)

// Classes of errors for benchmarks to wrap. They are preserved on the way to the harness, where errors.Is finds them.
var (
	// ErrUsage: something that the user named does not exist (model, backend, option, value).
	ErrUsage = errors.New("usage")
	// ErrData: the data set or the model file is missing or wrong.
	ErrData = errors.New("data")
)

// classifiedError is an error with a class whose text does not contain the class.
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
// its limit of open files. The error always wraps ErrUsage, because the limit is too low for the request.
func OutOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// OutOfSpace reports whether a file could not be written for lack of space: on the disk, in the user's quota, or within
// the size limit of a file. The error always wraps ErrUsage, because the chosen location is too small.
func OutOfSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
