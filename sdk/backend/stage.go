package backend

// Stager is an optional interface of a Session that prefers inputs in its own memory, such as memory shared with
// another process or read by a device. The sdk collates batches there, which saves a copy on the way to the model.
// Other callers of Run may do the same or pass their own memory.
type Stager interface {
	// Stage returns memory for the inputs of one batch. Concurrent batches need separate stages. The memory lasts until
	// the session is closed. nil means that the session has no such memory.
	Stage() Stage
}

// Stage is memory for the inputs of one batch at a time. One goroutine at a time may use it.
type Stage interface {
	// Input returns n bytes for input i of the next Run, with undefined contents. They are valid until that Run has
	// returned. Memory from an earlier call for the same input becomes invalid; memory of other inputs stays valid. Run
	// recognises the memory by its address. Input may be called again for each batch, and is cheap if n does not grow.
	//
	// If the caller provides no output memory, outputs of a Run on a stage may be in the stage's memory. They are valid
	// until Release; until then the next Run on the stage copies.
	Input(i, n int) []byte
}
