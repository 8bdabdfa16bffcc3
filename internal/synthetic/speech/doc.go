// Package speech generates the project's own speech: short sentences, spelled letter by letter. The sound of each
// letter has its own three formants. Speakers differ in their voice, their pace and the noise around them.
//
// A clip depends only on the seed of its set and on its index. Integer arithmetic makes its samples the same on every
// machine.
//
// In scope: clips and their transcripts (Set), 16-bit samples at 16 kHz. Out of scope: features; files (package
// export).
package speech
