// Package draw paints pictures with integer arithmetic. The same calls produce the same bytes on every 64-bit processor
// and with every compiler. It therefore avoids floating point (fused multiply-add differs between architectures), map
// iteration, and compressors whose output may change between versions.
//
// Lengths and positions are in units of 1/256 pixel ([One]), angles in 1/65536 of a turn, fractions in 1/256.
package draw
