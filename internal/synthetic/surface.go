package synthetic

import "github.com/plumbline-ml/plumbline/internal/draw"

// hues contains the first and the last hue of each palette. Swapping red and blue turns hue h into 1024 - h.
var hues = [...][2]int{warm: {-36, 200}, cool: {1024 - 200, 1024 + 36}}

// surface returns the ink of an object with a radius in a pose.
func surface(l look, pose draw.Pose, radius int, r *draw.Random) draw.Ink {
	if l.pattern == plain {
		return shaded(plainColor(l.palette, r), pose, radius, r)
	}
	return patterned(l.pattern, pose, radius, r)
}

func plainColor(p palette, r *draw.Random) draw.Color {
	return draw.HSV(r.IntBetween(hues[p][0], hues[p][1]), r.IntBetween(110, 255), r.IntBetween(100, 250))
}

// shaded returns an ink of one colour under light that varies across the object.
func shaded(color draw.Color, pose draw.Pose, radius int, r *draw.Random) draw.Ink {
	fall := r.IntBetween(-90, 90)
	return func(x, y int) draw.Color {
		return color.Scale(draw.Unit + fall*pose.InvertPixel(x, y).X/radius)
	}
}

// patterned returns an ink that alternates between two colours of the same hue or of two hues, one lighter than the
// other.
func patterned(p pattern, pose draw.Pose, radius int, r *draw.Random) draw.Ink {
	dark := r.IntBetween(30, 130)
	colors := [2]draw.Color{
		draw.HSV(r.IntBelow(draw.HueCircle), r.IntBelow(256), dark),
		draw.HSV(r.IntBelow(draw.HueCircle), r.IntBelow(256), dark+r.IntBetween(70, 120)),
	}
	odd := tiling(p, radius*r.IntBetween(34, 60)/100)
	return func(x, y int) draw.Color { return colors[odd(pose.InvertPixel(x, y))] }
}

// tiling returns a function that selects one of two colours (0 or 1) at a point, for a pattern with a period in 1/256
// pixel.
func tiling(p pattern, period int) func(draw.Point) int {
	half := period / 2
	switch p {
	case striped:
		return func(q draw.Point) int { return floorDiv(q.X, half) & 1 }
	case checked:
		return func(q draw.Point) int { return (floorDiv(q.X, half) + floorDiv(q.Y, half)) & 1 }
	case dotted:
		return func(q draw.Point) int {
			x, y := floorMod(q.X, period)-half, floorMod(q.Y, period)-half
			return oneIfLess(x*x+y*y, period*period/10)
		}
	case ringed:
		return func(q draw.Point) int { return draw.Sqrt(q.X*q.X+q.Y*q.Y) / half & 1 }
	default: // spoked: eight sectors
		return func(q draw.Point) int {
			return oneIfLess(q.X, 0) ^ oneIfLess(q.Y, 0) ^ oneIfLess(q.X*q.X, q.Y*q.Y)
		}
	}
}

func oneIfLess(a, b int) int {
	if a < b {
		return 1
	}
	return 0
}

func floorMod(a, b int) int { return ((a % b) + b) % b }

func floorDiv(a, b int) int { return (a - floorMod(a, b)) / b }
