// Package ort runs ONNX models on ONNX Runtime.
//
// A [Backend] opens a model as a session that many goroutines share: one copy of the weights, and one thread per Run
// unless the caller asks for low latency. Inputs are read from the caller's memory. Outputs are written into Go memory
// without a copy if the model's symbolic dimensions determine the output's shape beforehand.
//
// In scope: models of dense tensors in float32, float16, bfloat16, float64, the integers and bool, from a path or
// bytes, on any execution provider of the library. Out of scope: strings, sequences and maps; building or fetching
// libonnxruntime (package ortlib finds one).
//
// A process loads one ONNX Runtime library. The first Open loads it, and every later Open must name the same library.
package ort
