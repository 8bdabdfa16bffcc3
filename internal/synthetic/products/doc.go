// Package products generates labelled products of a catalogue, the data set of the embedded model that reads pictures
// and titles.
//
// A picture of 96 x 96 pixels shows one of twelve things, plain, striped or dotted, in 36 categories of three levels.
// The title contains a made-up brand among other words and states whether a product is second-hand, but names neither
// the thing nor the pattern. The description contains no information. Eight categories are offered, among them the true
// one.
//
// In scope: pictures, texts and truths, the same bytes on every machine. Out of scope: the files of the official layout
// (package export), training.
package products
