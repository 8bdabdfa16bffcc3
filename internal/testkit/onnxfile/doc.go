// Package onnxfile writes small ONNX models: graphs of a few nodes with the tensors of an official model, for tests.
//
// In: nodes, constants, inputs and outputs, and the encoding of ONNX's protocol buffers.
// Out: shape inference and checks; ONNX Runtime does both when it loads the file.
package onnxfile
