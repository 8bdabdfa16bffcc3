package draw

// Oval returns a polygon that approximates an ellipse with the radii rx and ry.
func Oval(rx, ry int) []Point {
	const corners = 48
	points := make([]Point, corners)
	for i := range points {
		angle := i * Turn / corners
		points[i] = Point{X: rx * Cos(angle) >> 14, Y: ry * Sin(angle) >> 14}
	}
	return points
}

// Box returns a rectangle with half of the width and half of the height given.
func Box(halfX, halfY int) []Point {
	return []Point{{X: -halfX, Y: -halfY}, {X: halfX, Y: -halfY}, {X: halfX, Y: halfY}, {X: -halfX, Y: halfY}}
}

// Polygon returns the contour through the points x0, y0, x1, y1, ...
func Polygon(xy ...int) []Point {
	points := make([]Point, len(xy)/2)
	for i := range points {
		points[i] = Point{X: xy[2*i], Y: xy[2*i+1]}
	}
	return points
}

// RaggedPolygon returns a polygon of seven corners at random distances from its centre.
func RaggedPolygon(r *Random, radius int) []Point {
	points := make([]Point, 7)
	for i := range points {
		points[i] = Polar(radius*r.IntBetween(40, 130)/100, i*Turn/7)
	}
	return points
}

// Star returns a star of n points. If inner is outer * cos(half turn / n), it is a regular polygon.
func Star(n, outer, inner int) []Point {
	points := make([]Point, 0, 2*n)
	for i := range n {
		points = append(points, Polar(outer, i*Turn/n), Polar(inner, (2*i+1)*Turn/(2*n)))
	}
	return points
}

// Cross returns a cross of four equal arms.
func Cross(long, half int) []Point {
	return []Point{
		{X: -half, Y: -long}, {X: half, Y: -long}, {X: half, Y: -half},
		{X: long, Y: -half}, {X: long, Y: half}, {X: half, Y: half},
		{X: half, Y: long}, {X: -half, Y: long}, {X: -half, Y: half},
		{X: -long, Y: half}, {X: -long, Y: -half}, {X: -half, Y: -half},
	}
}

// Crescent returns a crescent: a disc without an ellipse that touches its poles. The inner edge bulges to hollow
// percent of the radius.
func Crescent(radius, hollow int) []Point {
	const corners = 24
	points := make([]Point, 0, 2*corners)
	shift := radius * 3 / 10 // moves the middle of the figure close to the origin
	for i := range corners {
		a := i*Turn/(2*corners) - Turn/4
		points = append(points, Point{X: radius*Cos(a)>>14 - shift, Y: radius * Sin(a) >> 14})
	}
	for i := range corners {
		a := Turn/4 - i*Turn/(2*corners)
		x := radius * hollow / 100 * Cos(a) >> 14
		points = append(points, Point{X: x - shift, Y: radius * Sin(a) >> 14})
	}
	return points
}

// Heart returns the curve x = 16 sin^3 t, y = 13 cos t - 5 cos 2t - 2 cos 3t - cos 4t, scaled.
func Heart(radius int) []Point {
	const corners = 48
	points := make([]Point, corners)
	for i := range points {
		t := i * Turn / corners
		s := Sin(t)
		x := 16 * (s * s >> 14) * s >> 14
		y := 13*Cos(t) - 5*Cos(2*t) - 2*Cos(3*t) - Cos(4*t)
		points[i] = Point{X: radius * x >> 14 / 14, Y: -radius * y >> 14 / 14}
	}
	return points
}
