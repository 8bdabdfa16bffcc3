// Package preferences draws streams of rated items in the official layout of the streaming recommendation benchmark's
// data (dlrm-v3), with a taste that moves on, so that a model has to read a history in its order.
//
// The eight categories of the items lie on a ring. At any time a user likes one of them most, its neighbours less, and
// those across the ring least. The taste stays or moves on by one category from one period to the next, always the same
// way round. Recent ratings show the present taste; old ratings mislead a model that ignores their age. Ratings also
// have the item's quality, how strict the users of a cohort are, and noise, so that even who knows the hidden taste
// cannot predict all labels.
//
// A user's stream depends on the user's number alone: sets of more users begin with those of fewer. All that is drawn
// are integers, the same on every machine.
//
// In: the files. Out: reading them, samples.
package preferences
