package kitti3d

import "math"

// Box is a box in the camera's coordinates, in metres: x points right, y down and z ahead. The box is rotated about y.
type Box struct {
	Location   [3]float32 // x, y, z of the centre of the bottom face
	Dimensions [3]float32 // length, height, width
	RotationY  float32    // in radians
}

type groundPoint struct{ x, z float64 }

// GroundRect is the bottom face of a box.
type GroundRect struct {
	box     Box
	corners [4]groundPoint
}

// GroundRect returns the bottom face of the box.
func (b Box) GroundRect() GroundRect { return GroundRect{b, b.groundCorners()} }

// Area returns the area of the rectangle, computed in float32.
func (g *GroundRect) Area() float32 {
	side := func(middle, length float32) float32 { return (middle + length/2) - (middle - length/2) }
	return side(g.box.Location[0], g.box.Dimensions[0]) * side(g.box.Location[2], g.box.Dimensions[2])
}

// SharedArea returns the area of the intersection of two rectangles.
func (g *GroundRect) SharedArea(o *GroundRect) float64 {
	if g.box.isFarFrom(o.box) {
		return 0
	}
	return sharedArea(g.corners, o.corners)
}

// groundCorners returns the corners of the bottom face, counter-clockwise. It computes the sides in float32 and the
// rotation in float64.
func (b Box) groundCorners() (corners [4]groundPoint) {
	sin, cos := math.Sincos(float64(b.RotationY))
	side := func(middle, length float32) (half, centre float64) {
		low, high := float64(middle-length/2), float64(middle+length/2)
		return (high - low) / 2, (low + high) / 2
	}
	l, x := side(b.Location[0], b.Dimensions[0])
	w, z := side(b.Location[2], b.Dimensions[2])
	for i, s := range [4]groundPoint{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
		corners[i] = groundPoint{x + s.x*l*cos + s.z*w*sin, z - s.x*l*sin + s.z*w*cos}
	}
	if l*w < 0 {
		corners[1], corners[3] = corners[3], corners[1]
	}
	return corners
}

// Overlap returns the shared volume of two boxes divided by the volume of their union, 0 to 1, in float32. It does not
// correct negative sides, like the official script. For two boxes without area, at which the script stops, it returns
// 0.
func Overlap(a, b Box) float32 {
	if a.isFarFrom(b) || a.volume() == 0 || b.volume() == 0 {
		return 0
	}
	ground := float32(sharedArea(a.groundCorners(), b.groundCorners()))
	high := min(a.Location[1], b.Location[1])
	low := max(a.Location[1]-a.Dimensions[1], b.Location[1]-b.Dimensions[1])
	volume := max(high-low, 0) * ground
	if volume == 0 {
		return 0
	}
	return volume / (float32(a.volume()+b.volume()) - volume + 1e-8)
}

func (b Box) volume() float32 { return float32(b.Dimensions[0]*b.Dimensions[1]) * b.Dimensions[2] }

// isFarFrom reports whether the circumscribed circles of the two bottom faces do not intersect.
func (b Box) isFarFrom(o Box) bool {
	square := func(x, z float32) float64 { return float64(x)*float64(x) + float64(z)*float64(z) }
	reach := math.Sqrt(square(b.Dimensions[0], b.Dimensions[2])) + math.Sqrt(square(o.Dimensions[0], o.Dimensions[2]))
	return 4*square(b.Location[0]-o.Location[0], b.Location[2]-o.Location[2]) > reach*reach
}

// sharedArea returns the area of the intersection of two rectangles. It clips one by each side of the other.
func sharedArea(a, b [4]groundPoint) float64 {
	var buffers [2][8]groundPoint
	polygon := append(buffers[0][:0], a[:]...)
	for i := range b {
		from, to := b[i], b[(i+1)%4]
		clipped := buffers[(i+1)%2][:0]
		for k, p := range polygon {
			q := polygon[(k+1)%len(polygon)]
			atP, atQ := leftOf(from, to, p), leftOf(from, to, q)
			if atP >= 0 {
				clipped = append(clipped, p)
			}
			if atP > 0 && atQ < 0 || atP < 0 && atQ > 0 {
				t := atP / (atP - atQ)
				clipped = append(clipped, groundPoint{p.x + t*(q.x-p.x), p.z + t*(q.z-p.z)})
			}
		}
		if polygon = clipped; len(polygon) == 0 {
			return 0
		}
	}
	area := 0.0
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		area += (p.x-polygon[0].x)*(q.z-polygon[0].z) - (q.x-polygon[0].x)*(p.z-polygon[0].z)
	}
	return math.Abs(area) / 2
}

// leftOf returns a value above 0 if p is to the left of the line from a to b.
func leftOf(a, b, p groundPoint) float64 { return (b.x-a.x)*(p.z-a.z) - (b.z-a.z)*(p.x-a.x) }
