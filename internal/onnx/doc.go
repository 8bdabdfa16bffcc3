// Package onnx reads the signature of an ONNX model, which consists of its inputs and outputs with the names of their
// free dimensions, and lists the files of its external data. It skips the weights, so a model of gigabytes costs a few
// reads.
//
// In scope: the signature and metadata of a ModelProto (onnx.proto, IR version 3 and later). Out of scope: nodes,
// weights, validation of the graph.
package onnx
