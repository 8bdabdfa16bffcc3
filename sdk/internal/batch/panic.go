package batch

import (
	"bytes"
	"fmt"
	"runtime/debug"
)

// stackFrames is the number of stack frames kept of a panic: those in the benchmark and a few others.
const stackFrames = 8

// ownFrames is the prefix of the stack frames of this package's types.
const ownFrames = "github.com/plumbline-ml/plumbline/sdk/internal/batch.("

// PanicError is a panic in code of a benchmark or a backend.
type PanicError struct {
	Where string
	Value any
	Stack []byte // the innermost callers in the form of the runtime
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic in %s: %v", e.Where, e.Value) }

// RecoverPanic converts a panic to a *PanicError in err. It must be deferred.
func RecoverPanic(err *error, where func() string) {
	if v := recover(); v != nil {
		*err = &PanicError{Where: where(), Value: v, Stack: innermostFrames(debug.Stack())}
	}
}

// innermostFrames reduces a stack to the callers of panic, without this package's own frames. Each frame has two lines.
func innermostFrames(stack []byte) []byte {
	if i := bytes.LastIndex(stack, []byte("\npanic(")); i >= 0 {
		stack = stack[i+1:]
	}
	end := 0
	for frame := 0; frame <= stackFrames; frame++ {
		rest := stack[end:]
		if bytes.HasPrefix(rest, []byte(ownFrames)) {
			break
		}
		for range 2 {
			end += bytes.IndexByte(stack[end:], '\n') + 1
		}
	}
	return stack[:end]
}
