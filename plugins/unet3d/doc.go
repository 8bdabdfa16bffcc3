// Package unet3d is the medical-segmentation benchmark: model 3d-unet on KiTS19, and an embedded network on volumes that
// the project draws.
//
// A sample is a whole volume. It goes through the model window by window (128 voxels a side, 64 apart; the embedded
// network's are 32 and 16), several windows in a run where the model's batch is free and the run asks for it, and the
// scores are blended as they come: a worker holds the sums of one layer of windows, not of the volume.
//
// In: the manifest, which volumes and which model file a run uses, the way of a volume through the session, and the
// labels to score against.
// Out: inference (a backend, linked by the plugin's main), resampling, windows and blending (preprocess/volume), reading
// volumes (datasets/kits19), the metric (accuracy/dice), downloads (fetch).
package unet3d
