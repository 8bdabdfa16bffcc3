package backend

import "errors"

// Classes of errors for Backend.Open to wrap, in addition to ErrTensors. An error that wraps none of them counts as
// ErrFailed.
var (
	// ErrModel: the model file is missing, damaged, or in a format that the backend cannot read.
	ErrModel = errors.New("the model cannot be loaded")
	// ErrOption: an unknown option, or a value that the backend cannot use.
	ErrOption = errors.New("the backend's options are wrong")
	// ErrFailed: the backend crashed or malfunctioned. Neither the model nor the options are at fault.
	ErrFailed = errors.New("the backend failed")
)
