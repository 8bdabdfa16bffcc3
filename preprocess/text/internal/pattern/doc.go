// Package pattern implements the regular expressions in tokenizer files with the semantics of Oniguruma, the library of
// Hugging Face's tokenizers. It finds the leftmost match and, among alternatives, the first that matches.
//
// In scope: characters, classes with properties of Unicode, unions and intersections, groups, alternatives, greedy,
// lazy and possessive repetition, atomic groups, lookahead, lookbehind of one character, anchors, and (?i) for ASCII.
// Out of scope: captures, back-references, other options, word boundaries, patterns that can match an empty text, and
// patterns of more than a few thousand steps. All of them are refused by name.
package pattern
