// Package extract finds the answer in a reasoning model's output, exactly like the official scripts for DeepSeek-R1 and
// gpt-oss-120b. An answer is the letter of a choice, the content of the last \boxed{}, an integer of three digits, a
// program, or the final section of the harmony format.
//
// In scope: decoded text of any length; the run time is linear in it. Out of scope: grading an answer (package
// reasoning), and interpreting a box (package mathgrade).
//
// The official rules are case-insensitive Python regular expressions on str. They use Unicode's digits, white space,
// word characters and case folding. All functions first strip the text like str.strip.
package extract
