// Package lidar prepares point clouds for a detector, with the same numbers as pointpainting's official reference:
//
//	filter   points outside of a space are dropped                                                [Space]
//	pillars  points are sorted into the cells of a grid, in the order of their arrival            [Pillars]
//	paint    each point gets six scores of the pixels that it is seen at, by up to five cameras   [Painter]
//
// The reference paints before it sorts. A point's pillar does not depend on its scores, so points without a pillar are
// not painted; the numbers are the same.
//
// A point consists of x, y and z in metres, intensity and elongation, as float32. A painted point also has six scores.
//
// In scope: arithmetic on slices. Out of scope: files; the networks.
package lidar

// Number of values of a point.
const (
	Values  = 5 // x, y, z, intensity, elongation
	Scores  = 6 // of a painted point, in addition to Values
	Painted = Values + Scores
)

// Cameras is the number of pictures per point cloud.
const Cameras = 5
