// Package streets draws the project's own streets for the detection of objects by camera and lidar: what one car sees
// of a square of 24 m around it, a frame at a time. Cars, pedestrians and cyclists stand among walls, hedges, posts,
// signs and crates. A lidar of 16 rings, and five cameras that look all round but for a gap behind, see the same
// solids.
//
// A cyclist and a pedestrian, who pushes something as long as a bicycle, have the same shape: only the pictures tell
// them apart. Hedges and crates are as large as cars: the lidar's intensity, or the pictures, tell those apart.
//
// A frame depends on the seed of its set and its index alone and is the same on every machine: all arithmetic is on
// integers. Lengths are in 1/4096 m, angles in 1/65536 of a turn, directions and slopes in 1/65536. The plane is that
// of the lidar: x ahead, y to the left, z up from the ground.
//
// In: points, pictures, classes of their pixels, calibration and true boxes of a frame. Out: the files of the official
// layout (package export), training.
package streets
