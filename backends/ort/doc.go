// Package ort runs ONNX models on ONNX Runtime.
//
// A [Backend] opens a model as a session that many goroutines share: one copy of the weights, one thread per Run unless
// the caller asks for low latency. Inputs are read from the caller's memory and outputs written into Go memory without
// a copy in between, wherever the model's symbolic dimensions tell the output's shape beforehand.
//
// In: models of dense tensors in float32, float16, bfloat16, float64, the integers and bool, from a path or bytes, on
// any execution provider of the library. Out: strings, sequences and maps; building or fetching libonnxruntime
// (package ortlib finds one).
//
// ONNX Runtime is one per process: the first Open loads the library, and every later one must name the same.
package ort
