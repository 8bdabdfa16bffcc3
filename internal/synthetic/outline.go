package synthetic

import "github.com/plumbline-ml/plumbline/internal/draw"

// outline returns a shape around the origin. Solid shapes have about the area of a disc of the radius (in 1/256 pixel).
// Proportions vary within the limits of a class.
func outline(s shape, radius int, r *draw.Random) draw.Path {
	switch s {
	case disc:
		return draw.Path{draw.Oval(radius, radius)}
	case ellipse:
		return draw.Path{draw.Oval(radius*r.IntBetween(120, 132)/100, radius*r.IntBetween(70, 78)/100)}
	case ring:
		hole := radius * r.IntBetween(45, 65) / 100
		return draw.Path{draw.Oval(radius, radius), draw.Oval(hole, hole)}
	case square:
		half := radius * 90 / 100
		return draw.Path{draw.Box(half, half)}
	case rectangle:
		return draw.Path{draw.Box(radius*r.IntBetween(110, 122)/100, radius*r.IntBetween(62, 70)/100)}
	case triangle:
		return draw.Path{draw.Star(3, radius*125/100, radius*125/200)}
	case star:
		return draw.Path{draw.Star(5, radius*125/100, radius*r.IntBetween(48, 62)/100)}
	case cross:
		return draw.Path{draw.Cross(radius*110/100, radius*r.IntBetween(30, 42)/100)}
	case crescent:
		return draw.Path{draw.Crescent(radius*115/100, r.IntBetween(35, 60))}
	default:
		return draw.Path{draw.Heart(radius)}
	}
}
