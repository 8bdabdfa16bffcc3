//go:build never

package ortlib

// The import keeps the module that contains the library in go.mod and go.sum. This file is never compiled; only files
// of the module are used.
import _ "github.com/k2-fsa/sherpa-onnx-go-linux"
