// Package bfcl reads the single-turn part of the Berkeley Function-Calling Leaderboard v4: a folder of bfcl-eval, or
// the table that the endpoints harness makes from it. Each line of bfcl-eval's files contains a question, functions or
// possible answers. It selects samples of each subset like that harness, and converts descriptions of functions to
// tools.
//
// In scope: reading, checking, selecting samples. Out of scope: grading answers (package accuracy/bfcl), sending
// requests.
package bfcl
