// Package onnx reads the description in an ONNX model: its inputs and outputs with the names of their free dimensions,
// and the files with its external data. It skips over the weights, so that a model of gigabytes costs a few reads.
//
// In: the signature of a ModelProto (onnx.proto, IR version 3 and later). Out: nodes, weights, validation of the graph.
package onnx
