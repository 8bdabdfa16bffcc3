package synthetic

import "github.com/plumbline-ml/plumbline/datasets/internal/draw"

// outline returns a shape around the origin whose area is about that of a disc of the radius (1/256 pixel), for the
// solid shapes. Proportions vary within what tells the classes apart.
func outline(s shape, radius int, r *draw.Random) draw.Path {
	switch s {
	case disc:
		return draw.Path{oval(radius, radius)}
	case ellipse:
		return draw.Path{oval(radius*r.Between(120, 132)/100, radius*r.Between(70, 78)/100)}
	case ring:
		hole := radius * r.Between(45, 65) / 100
		return draw.Path{oval(radius, radius), oval(hole, hole)}
	case square:
		half := radius * 90 / 100
		return draw.Path{box(half, half)}
	case rectangle:
		return draw.Path{box(radius*r.Between(110, 122)/100, radius*r.Between(62, 70)/100)}
	case triangle:
		return draw.Path{spikes(3, radius*125/100, radius*125/200)}
	case star:
		return draw.Path{spikes(5, radius*125/100, radius*r.Between(48, 62)/100)}
	case cross:
		return draw.Path{plus(radius*110/100, radius*r.Between(30, 42)/100)}
	case crescent:
		return draw.Path{moon(radius*115/100, r.Between(35, 60))}
	default:
		return draw.Path{hearts(radius)}
	}
}

// oval approximates an ellipse of two radii by a polygon.
func oval(rx, ry int) []draw.Point {
	const corners = 48
	points := make([]draw.Point, corners)
	for i := range points {
		angle := i * draw.Turn / corners
		points[i] = draw.Point{X: rx * draw.Cos(angle) >> 14, Y: ry * draw.Sin(angle) >> 14}
	}
	return points
}

func box(halfX, halfY int) []draw.Point {
	return []draw.Point{{X: -halfX, Y: -halfY}, {X: halfX, Y: -halfY}, {X: halfX, Y: halfY}, {X: -halfX, Y: halfY}}
}

// spikes is a star of n points: a regular polygon where the inner radius is cos(half turn / n) of the outer one.
func spikes(n, outer, inner int) []draw.Point {
	points := make([]draw.Point, 0, 2*n)
	for i := range n {
		points = append(points, draw.Polar(outer, i*draw.Turn/n), draw.Polar(inner, (2*i+1)*draw.Turn/(2*n)))
	}
	return points
}

// plus is a cross of four equal arms.
func plus(long, half int) []draw.Point {
	return []draw.Point{
		{X: -half, Y: -long}, {X: half, Y: -long}, {X: half, Y: -half},
		{X: long, Y: -half}, {X: long, Y: half}, {X: half, Y: half},
		{X: half, Y: long}, {X: -half, Y: long}, {X: -half, Y: half},
		{X: -long, Y: half}, {X: -long, Y: -half}, {X: -half, Y: -half},
	}
}

// moon is a disc without an ellipse that touches its poles: the inner edge bulges to hollow percent of the radius.
func moon(radius, hollow int) []draw.Point {
	const corners = 24
	points := make([]draw.Point, 0, 2*corners)
	shift := radius * 3 / 10 // puts the figure's middle near the origin
	for i := range corners {
		a := i*draw.Turn/(2*corners) - draw.Turn/4
		points = append(points, draw.Point{X: radius*draw.Cos(a)>>14 - shift, Y: radius * draw.Sin(a) >> 14})
	}
	for i := range corners {
		a := draw.Turn/4 - i*draw.Turn/(2*corners)
		x := radius * hollow / 100 * draw.Cos(a) >> 14
		points = append(points, draw.Point{X: x - shift, Y: radius * draw.Sin(a) >> 14})
	}
	return points
}

// hearts is the curve x = 16 sin^3 t, y = 13 cos t - 5 cos 2t - 2 cos 3t - cos 4t, scaled.
func hearts(radius int) []draw.Point {
	const corners = 48
	points := make([]draw.Point, corners)
	for i := range points {
		t := i * draw.Turn / corners
		s := draw.Sin(t)
		x := 16 * (s * s >> 14) * s >> 14
		y := 13*draw.Cos(t) - 5*draw.Cos(2*t) - 2*draw.Cos(3*t) - draw.Cos(4*t)
		points[i] = draw.Point{X: radius * x >> 14 / 14, Y: -radius * y >> 14 / 14}
	}
	return points
}
