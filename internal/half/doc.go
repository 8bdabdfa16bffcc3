// Package half rounds float32 values to float16 or bfloat16, and converts tensors of these 16-bit numbers.
//
// In scope: rounding and both encodings, little endian. Out of scope: the choice of a format.
package half
