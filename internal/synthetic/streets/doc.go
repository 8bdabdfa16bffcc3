// Package streets generates the project's own street scenes for the detection of objects by camera and lidar. A frame
// contains a car's view of a square of 24 m around it, with cars, pedestrians and cyclists among walls, hedges, posts,
// signs and crates. A lidar of 16 rings and five cameras, which cover all directions except a gap behind, record the
// same solids.
//
// A cyclist and a pedestrian with an object as long as a bicycle have the same shape; only the pictures distinguish
// them. Hedges and crates are as large as cars; the lidar's intensity or the pictures distinguish these.
//
// A frame depends only on the seed of its set and on its index. Integer arithmetic makes it the same on every machine.
// Lengths are in 1/4096 m, angles in 1/65536 of a turn, directions and slopes in 1/65536. Coordinates are those of the
// lidar: x ahead, y to the left, z up from the ground.
//
// In scope: points, pictures, classes of their pixels, calibration and true boxes of a frame. Out of scope: the files
// of the official layout (package export), training.
package streets
