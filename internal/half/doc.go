// Package half does arithmetic in 16-bit numbers: float32 values rounded to float16 or bfloat16, and tensors of them.
//
// In: rounding and both encodings, little endian. Out: which numbers of a model are of which format.
package half
