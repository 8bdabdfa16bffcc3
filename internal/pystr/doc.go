// Package pystr treats strings like Python's str and re, on which the reference scorers and tokenizers depend:
// Unicode's white space, lower case and word characters, and decoding of damaged UTF-8.
//
// In scope: strings in UTF-8. Out of scope: regular expressions (each user of this package writes code for them).
package pystr
