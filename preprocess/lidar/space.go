package lidar

// Space is an axis-aligned box in metres, without its faces.
type Space struct{ Low, High [3]float32 }

// Filter moves the points inside the space, Values values each, to the front without changing their order, and returns
// them. A point with a NaN coordinate is outside.
func (s *Space) Filter(points []float32) []float32 {
	kept := points[:0]
	for ; len(points) >= Values; points = points[Values:] {
		if s.contains(points[0], points[1], points[2]) {
			kept = append(kept, points[:Values]...)
		}
	}
	return kept
}

func (s *Space) contains(x, y, z float32) bool {
	return x > s.Low[0] && x < s.High[0] && y > s.Low[1] && y < s.High[1] && z > s.Low[2] && z < s.High[2]
}
