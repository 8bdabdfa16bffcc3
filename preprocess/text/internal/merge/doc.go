// Package merge joins neighbouring symbols of a text as byte-pair encoding does: again and again the pair of the lowest
// rank, and of several such pairs the leftmost, until no pair has a rank.
//
// In: symbols as numbers. Out: what the symbols stand for.
package merge
