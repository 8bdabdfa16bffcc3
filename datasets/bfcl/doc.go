// Package bfcl reads the single-turn part of the Berkeley Function-Calling Leaderboard v4: a folder of bfcl-eval, with
// a question, functions and possible answers per line of its files, or the table that the endpoints harness makes from
// it. It selects samples of each subset like that harness, and converts descriptions of functions to tools.
//
// In scope: reading, checking, selecting samples. Out of scope: grading answers (package accuracy/bfcl), sending
// requests.
package bfcl
