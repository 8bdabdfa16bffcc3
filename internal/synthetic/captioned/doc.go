// Package captioned draws small pictures and says what they show: the data set of the embedded text-to-image model.
//
// A picture of 64 x 64 shows one figure, or two beside or above each other, on a plain ground. Its caption names what
// there is to see: shape, colour, size and place of each figure, and the ground's colour; shades, angles and some
// pixels of place and size are left to chance.
//
// In: captions and pictures, the same bytes on every machine, and the noise that generated pictures begin with.
// Out: the files of the official layout (package export), training.
package captioned
