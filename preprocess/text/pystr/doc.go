// Package pystr treats strings as Python does, for the reference scorers and tokenizers are defined by what
// Python's str and re do: white space, lower case and word characters of all of Unicode, decoding of damaged
// UTF-8.
//
// In: strings in UTF-8. Out: regular expressions as such, which each user of this package spells out.
package pystr
