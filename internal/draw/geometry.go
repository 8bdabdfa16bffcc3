package draw

// Unit is one pixel, and the fraction 1, in fixed point.
const Unit = 256

// Turn is a full turn in the unit of angles.
const Turn = 1 << 16

// Point is a position in 1/256 pixel; y grows downwards.
type Point struct{ X, Y int }

// Sin returns 16384 times the sine of an angle in 1/65536 turn. The error of the sine is below 0.0017. It uses the
// rational approximation of Bhaskara I: 4 p / (5/4 half^2 - p) with p = a (half - a).
func Sin(angle int) int {
	const half = Turn / 2
	a := angle & (Turn - 1)
	sign := 1
	if a >= half {
		a, sign = a-half, -1
	}
	p := a * (half - a)
	return sign * ((4 * p << 14) / (5*half*half/4 - p))
}

// Cos returns 16384 times the cosine of an angle in 1/65536 turn.
func Cos(angle int) int { return Sin(angle + Turn/4) }

// Polar returns the point at a distance (1/256 pixel) and an angle from the origin.
func Polar(radius, angle int) Point {
	return Point{radius * Cos(angle) >> 14, radius * Sin(angle) >> 14}
}

// Pose is a rotation about a figure's origin, followed by a translation.
type Pose struct {
	at       Point
	sin, cos int
}

// NewPose returns the pose that rotates by angle and then moves the origin to at.
func NewPose(at Point, angle int) Pose { return Pose{at, Sin(angle), Cos(angle)} }

// Apply returns the position of the figure's point q under the pose.
func (p Pose) Apply(q Point) Point {
	return Point{p.at.X + (q.X*p.cos-q.Y*p.sin)>>14, p.at.Y + (q.X*p.sin+q.Y*p.cos)>>14}
}

// Invert returns the point of the figure whose position under the pose is q.
func (p Pose) Invert(q Point) Point {
	x, y := q.X-p.at.X, q.Y-p.at.Y
	return Point{(x*p.cos + y*p.sin) >> 14, (y*p.cos - x*p.sin) >> 14}
}

// InvertPixel returns the point of the figure at the centre of pixel (x, y).
func (p Pose) InvertPixel(x, y int) Point { return p.Invert(Point{x*Unit + Unit/2, y*Unit + Unit/2}) }

// Sqrt returns the integer square root of n; n must be at least 0.
func Sqrt(n int) int {
	if n < 2 {
		return n
	}
	x := 1 << ((bitLen(n) + 1) / 2) // at least the root, so the iteration only decreases
	for {
		next := (x + n/x) / 2
		if next >= x {
			return x
		}
		x = next
	}
}

func bitLen(n int) int {
	l := 0
	for ; n > 0; n >>= 1 {
		l++
	}
	return l
}
