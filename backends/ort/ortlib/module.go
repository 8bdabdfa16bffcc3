//go:build never

package ortlib

// The import keeps the module that carries the library in go.mod and go.sum. It is never compiled: only files of the
// module are used.
import _ "github.com/k2-fsa/sherpa-onnx-go-linux"
