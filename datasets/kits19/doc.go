// Package kits19 reads the data set of the 2019 kidney tumour segmentation challenge in either of two layouts:
//
//	DIR/case_00000/imaging.nii.gz            as published: CT in Hounsfield units, axes from slice to slice,
//	DIR/case_00000/segmentation.nii.gz       back and to the left; DIR may also be the folder above data/
//
//	DIR/preprocessed_files.pkl               as the reference's preprocessing writes it (or the same as
//	DIR/case_00000.pkl                       preprocessed_files.json); a case's image is in its pickle, or else
//	DIR/nifti/case_00000/imaging.nii.gz      here
//	DIR/nifti/case_00000/segmentation.nii.gz
//
// Classes are 0 background, 1 kidney, 2 tumour.
//
// In scope: finding, checking and reading volumes. Out of scope: resampling and normalising (published volumes need
// both); scoring.
package kits19
