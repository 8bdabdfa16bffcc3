// Package bfcl scores calls of functions that models make: the single-turn part of the Berkeley Function-Calling
// Leaderboard v4, graded as bfcl-eval does and summed up as the endpoints harness does.
//
// Calls come as servers have them, merged, in JSON; as a JSON list; or, where a server has no parser for its model's
// calls, as text that looks like them in Python.
//
// In: the text of an answer, descriptions of functions, possible answers. Out: reading data sets, asking servers.
package bfcl
