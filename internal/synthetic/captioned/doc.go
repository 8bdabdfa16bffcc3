// Package captioned draws small pictures with captions, the data set of the embedded text-to-image model.
//
// A picture of 64 x 64 pixels shows one figure, or two side by side or above each other, on a plain background. Its
// caption names the shape, colour, size and place of each figure, and the background's colour. Shades, angles and small
// offsets in place and size are random.
//
// In scope: captions and pictures, the same bytes on every machine, and the noise that generated pictures begin with.
// Out of scope: the files of the official layout (package export), training.
package captioned
