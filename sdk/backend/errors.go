package backend

import "errors"

// Classes of errors for Backend.Open to wrap, in addition to ErrTensors. An error that wraps none of them counts as
// ErrFailed.
var (
	// ErrModel: the model file is missing, damaged, or not of a kind that the backend reads.
	ErrModel = errors.New("the model cannot be loaded")
	// ErrOption: an option that the backend does not have, or a value that it cannot use.
	ErrOption = errors.New("the backend's options are wrong")
	// ErrFailed: the backend died or broke. Neither the model nor the options are at fault.
	ErrFailed = errors.New("the backend failed")
)
