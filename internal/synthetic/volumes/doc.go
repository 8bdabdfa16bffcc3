// Package volumes draws the project's own volumes for segmentation: phantoms that resemble computed tomography, with
// kidneys, their tumours, and similar-looking organs, vessels and bones ([Set]); and heads that resemble magnetic
// resonance tomography, with four channels and a lesion of three parts, each visible in different channels ([HeadSet]).
//
// A volume depends only on the seed of its set and on its index. Integer arithmetic makes its voxels the same on every
// machine. Lengths are in 1/256 mm, angles in 1/65536 of a turn, values in Hounsfield units (HU).
//
// In scope: the volumes and their labels, neither resampled nor normalised. Out of scope: preprocessing; files (package
// export below this one).
package volumes
