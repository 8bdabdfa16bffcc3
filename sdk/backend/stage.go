package backend

// Stager is an optional interface of a Session that takes inputs best from memory of its own: memory that another
// process sees, that a device reads. A batch that is collated there is not copied on its way to the model. The sdk
// collates there; whoever calls Run by himself may do so, or bring memory of his own as before.
type Stager interface {
	// Stage returns memory for the inputs of one batch. Who prepares or runs several batches at a time has a stage for
	// each. It lasts until the session is closed. nil: the session has no such memory after all.
	Stage() Stage
}

// Stage is memory for the inputs of one batch at a time. One goroutine at a time may use it.
type Stage interface {
	// Input returns n bytes for input i of the next Run, with undefined contents. They are valid until that Run has
	// returned; memory that an earlier call returned for the same input is not valid any more, that of other inputs is.
	// Run knows the memory by its address. It may be called again for each batch, and costs little where n does not grow.
	//
	// Outputs of a Run on a stage that have no memory of the caller's may lie in the stage: they are valid until Release,
	// and while they are not released the next Run on it copies.
	Input(i, n int) []byte
}
