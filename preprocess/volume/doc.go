// Package volume prepares computed-tomography volumes for a segmentation network, cuts them into overlapping windows
// and joins the network's scores to classes, with the same numbers as the official KiTS19 reference.
//
//	resample   to voxels of 1.6 x 1.2 x 1.2 mm: linear for images, nearest for labels   [Recipe]
//	normalise  clip to -79..304 HU, less 101, divided by 76.9
//	fit        pad to one window, then cut or pad to whole strides
//	cut        windows of W voxels a side, W/2 apart                                      [Sliding]
//	join       scores weighed by a Gaussian, divided by the sum of weights, argmax        [Blend]
//
// Heads of several channels, which a network reads at once, are prepared as for BraTS 2019: cropped to the non-zero
// region, with holes filled, normalised within the head channel by channel, and padded ([HeadRecipe]).
//
// Volumes are in C order: depth, height, width. Every step uses all cores. Only the normalisation of heads needs a copy
// of the volume in addition to its input and output.
//
// In scope: arithmetic on slices. Out of scope: files, the network.
package volume
