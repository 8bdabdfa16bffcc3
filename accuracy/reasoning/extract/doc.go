// Package extract finds the answer in what a reasoning model wrote, equal to the official scripts for DeepSeek-R1 and
// gpt-oss-120b: the letter of a choice, the content of the last \boxed{}, an integer of three digits, a program, and
// the final section of the harmony format.
//
// In: decoded text, of any length; the work is linear in it. Out: whether an answer is right (package reasoning), and
// what a box means (package mathgrade).
//
// The official rules are Python's regular expressions on str that ignore case: digits, white space and the characters
// of words are those of Unicode, and so are letters that fold to ASCII ones. All functions strip the text as str.strip
// does before they read it.
package extract
