// Package conversations reads recorded conversations of agents, as the endpoints harness replays them: JSON lines with
// one row for each turn of a user, of a model, and of the tools that the model called.
//
// In: reading, checking, and what is said to the model in each turn. Out: asking servers; scoring (package
// accuracy/replay).
package conversations
