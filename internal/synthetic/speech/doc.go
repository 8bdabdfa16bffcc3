// Package speech draws the project's own speech: short sentences spelled out letter by letter, in which each letter is
// a sound of three formants of its own. Speakers differ in their voice, their pace and the noise around them.
//
// A clip depends on the seed of its set and its index alone, and its samples are the same on every machine: all
// arithmetic is on integers.
//
// In: clips and their transcripts (Set), 16-bit samples at 16 kHz. Out: features; files (package export).
package speech
