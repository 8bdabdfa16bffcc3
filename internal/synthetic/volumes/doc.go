// Package volumes draws the project's own volumes for segmentation: phantoms in the manner of computed tomography, with
// kidneys, their tumours, and organs, vessels and bones that look like either ([Set]); and heads in the manner of
// resonance tomography, four channels each, with a lesion of three parts whose borders show in other channels each
// ([HeadSet]).
//
// A volume depends on the seed of its set and its index alone, and its voxels are the same on every machine: all
// arithmetic is on integers. Lengths are in 1/256 mm, angles in 1/65536 of a turn, values in Hounsfield units (HU).
//
// In: the volumes and their labels, as a scanner would give them: neither resampled nor normalised.
// Out: preprocessing; files (package export below this one).
package volumes
