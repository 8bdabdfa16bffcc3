// Package conversations reads recorded conversations of agents, in the form that the endpoints harness replays: JSON
// lines with one row for each turn of a user, a model, or the tools that the model called.
//
// In scope: reading, checking, the messages to the model in each turn. Out of scope: sending requests; scoring (package
// accuracy/replay).
package conversations
