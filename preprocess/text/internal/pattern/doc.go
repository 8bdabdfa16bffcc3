// Package pattern implements the regular expressions in tokenizers' files as Oniguruma reads them for Hugging Face's
// tokenizers: the leftmost match, and among alternatives the first that leads to one.
//
// In: characters, classes with properties of Unicode, unions and intersections, groups, alternatives, greedy, lazy and
// possessive repetition, atomic groups, lookahead, lookbehind of one character, anchors, and (?i) for ASCII. Out:
// captures, references to them, other options, word boundaries; they are refused by name. So is what may match nothing
// of a text, and patterns of more than some thousand steps.
package pattern
