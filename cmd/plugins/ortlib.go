//go:build never

// Package plugins holds no code: its folders are the plugin binaries.
package plugins

// The import keeps the module that carries libonnxruntime in go.mod and go.sum. It is never compiled: only files of the
// module are used.
import _ "github.com/k2-fsa/sherpa-onnx-go-linux"
