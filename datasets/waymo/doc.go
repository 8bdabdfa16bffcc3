// Package waymo reads the Waymo open data set in the KITTI form that object detection in space (pointpainting) uses:
//
//	DIR/waymo_infos_val.pkl          the index: a pickled list with a dict for each frame; or below DIR/kitti_format
//	DIR/training/velodyne/NAME.bin   points, where the index says: 6 float32 each
//	DIR/training/image_K/IMAGE.jpg   the pictures of cameras 0 to 4; IMAGE is the frame's image_idx
//
// Samples are the frames in the order of the index.
//
// In scope: finding, checking and reading frames, writing them in the same form. Out of scope: painting, pillars,
// scoring.
package waymo
