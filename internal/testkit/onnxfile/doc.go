// Package onnxfile writes small ONNX models, graphs of a few nodes with the tensors of an official model, and files of
// the form of ONNX Runtime's library, without code, for tests.
//
// In scope: nodes, constants, inputs and outputs, and the encoding of protocol buffers; libraries, and packages with
// them. Out of scope: shape inference and checks; ONNX Runtime does both when it loads the file.
package onnxfile
