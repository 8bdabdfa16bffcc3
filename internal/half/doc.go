// Package half is arithmetic in numbers of 16 bits: float32 values that are rounded to what float16 or bfloat16 can
// hold, and tensors of them.
//
// In: rounding and both encodings, little endian. Out: which numbers of a model are of which format.
package half
