// Package brats reads the data set of the 2019 brain tumour segmentation challenge in any of three layouts:
//
//	DIR/HGG/CASE/CASE_t1.nii.gz       as published, with _t1ce, _t2, _flair and _seg; or below
//	DIR/LGG/...                       DIR/MICCAI_BraTS_2019_Data_Training
//
//	DIR/imagesTr/NAME_0000.nii.gz     as the reference renames it, NAME_0000 to NAME_0003
//	DIR/labelsTr/NAME.nii.gz
//
//	DIR/preprocessed_files.pkl        as the reference's preprocessing writes it; DIR may also be the folder above
//	DIR/NAME.pkl                      preprocessed_data
//	DIR/labelsTr/NAME.nii.gz          the labels, here or where the reference has them (see Options.Labels)
//
// NAME is HGG__CASE or LGG__CASE. Axes are depth, height and width, the reverse of the files' order. Channels are T1,
// T1 with contrast agent, T2 and FLAIR. Classes are 0 background, 1 oedema, 2 non-enhancing and 3 enhancing tumour;
// published files use 2, 1 and 4 instead; these labels are converted.
//
// In scope: finding, checking and reading volumes, the benchmark's list of cases. Out of scope: cropping and
// normalising (published heads need both); scoring.
package brats
