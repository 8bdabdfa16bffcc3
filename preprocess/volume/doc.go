// Package volume prepares computed-tomography volumes for a segmentation network, cuts them into overlapping windows
// and joins the network's scores to classes, with the numbers of the official KiTS19 reference.
//
//	resample   to voxels of 1.6 x 1.2 x 1.2 mm: linear for images, nearest for labels   [Recipe]
//	normalise  clip to -79..304 HU, less 101, divided by 76.9
//	fit        pad to one window, then cut or pad to whole strides
//	cut        windows of W voxels a side, W/2 apart                                      [Sliding]
//	join       scores weighed by a Gaussian, divided by the sum of weights, argmax        [Blend]
//
// Heads of several channels, which a network takes at once, are prepared as those of BraTS 2019: cropped to what is not
// 0, with holes filled, normalised channel by channel in the head, and padded ([HeadRecipe]).
//
// Volumes are in C order: depth, height, width, width fastest. Everything works on all cores, and no step but the
// normalising of heads holds a copy of the volume in addition to its input and output.
//
// In: arithmetic on slices.
// Out: files, the network.
package volume
