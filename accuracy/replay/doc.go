// Package replay scores models in recorded conversations of agents (qwen3.6-27b): it checks whether a turn calls the
// same programs as the recorded turn or names the expected intent. The scores equal those of the endpoints harness.
//
// In scope: recorded turns and the answers to them. Out of scope: reading recordings and sending turns.
package replay
