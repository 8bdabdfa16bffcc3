// Package pystr treats strings as Python's str and re do, which define the reference scorers and tokenizers: white
// space, lower case and word characters of all of Unicode, decoding of damaged UTF-8.
//
// In: strings in UTF-8. Out: regular expressions. Each user of this package spells them out.
package pystr
