// Package draw paints pictures with integer arithmetic only, so that the same calls give the same bytes on every 64-bit
// processor and with every compiler: no floating point (whose fused multiply-add differs between architectures), no
// map iteration, no compressor whose output may change from one version to the next.
//
// Lengths and positions are in units of 1/256 pixel ([One]), angles in 1/65536 of a turn, fractions in 1/256.
package draw
