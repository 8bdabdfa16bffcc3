// Package products draws products of a catalogue and says what they are: the data set of the embedded model that reads
// pictures and titles.
//
// A picture of 96 x 96 shows one of twelve things, plain, striped or dotted, in 36 categories of three levels. Its
// title has a made brand among other words, and tells where a product is second-hand; it names neither thing nor
// pattern. The description tells nothing. Eight categories are offered, the true one among them.
//
// In: pictures, texts and truths, the same bytes on every machine. Out: the files of the official layout (package
// export), training.
package products
