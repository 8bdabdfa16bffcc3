// Package merge joins neighbouring symbols of a text like byte-pair encoding. It repeatedly joins the pair with the
// lowest rank, the leftmost of several, until no pair has a rank.
//
// In scope: symbols as numbers. Out of scope: the meaning of the symbols.
package merge
