package draw

// Canvas is a picture of 8-bit RGB pixels. Its memory has the layout of a PNG's scan lines: each row starts with the
// filter byte 0, so encoding copies the rows unchanged.
type Canvas struct {
	Width, Height int
	data          []uint8
	raster        raster
}

// NewCanvas returns a black picture.
func NewCanvas(width, height int) *Canvas {
	return &Canvas{Width: width, Height: height, data: make([]uint8, height*(1+3*width))}
}

// row returns the 3 * Width bytes of row y.
func (c *Canvas) row(y int) []uint8 {
	stride := 1 + 3*c.Width
	return c.data[y*stride+1 : (y+1)*stride]
}

// SetPixel paints one pixel.
func (c *Canvas) SetPixel(x, y int, color Color) {
	p := c.row(y)[3*x:][:3]
	p[0], p[1], p[2] = clamp(color.R), clamp(color.G), clamp(color.B)
}

// Ink returns the colour of a figure at a pixel.
type Ink func(x, y int) Color

// FillPath paints a path with an opacity of 0 to 256.
func (c *Canvas) FillPath(p Path, opacity int, ink Ink) {
	c.raster.eachRow(p, c.Width, c.Height, func(y, x0 int, cover []int) {
		row := c.row(y)
		for i, a := range cover {
			blend(row[3*(x0+i):][:3], ink(x0+i, y), a*opacity>>8)
		}
	})
}

func blend(pixel []uint8, ink Color, alpha int) {
	under := Color{int(pixel[0]), int(pixel[1]), int(pixel[2])}
	mixed := under.Mix(ink, alpha)
	pixel[0], pixel[1], pixel[2] = clamp(mixed.R), clamp(mixed.G), clamp(mixed.B)
}

// FlatInk returns an ink of one colour.
func FlatInk(color Color) Ink { return func(int, int) Color { return color } }

// FillRandomly paints a contour at a point with a random rotation, colour and opacity. The opacity is at least
// minOpacity.
func (c *Canvas) FillRandomly(r *Random, contour []Point, at Point, minOpacity int) {
	path := Path{contour}.Transform(NewPose(at, r.IntBelow(Turn)))
	c.FillPath(path, r.IntBetween(minOpacity, Unit), FlatInk(RandomColor(r)))
}

// RandomPoint returns a random point of the picture.
func (c *Canvas) RandomPoint(r *Random) Point {
	return Point{X: r.IntBelow(c.Width * Unit), Y: r.IntBelow(c.Height * Unit)}
}

// PaintGradient paints all rows with mixtures of two colours. For each row, mix sets one value per pixel, from 0 (from)
// to 256 (to).
func (c *Canvas) PaintGradient(from, to Color, mix func(row []int, y int)) {
	row := make([]int, c.Width)
	for y := range c.Height {
		mix(row, y)
		c.PaintRow(y, from, to, row)
	}
}

// PaintBackground paints a background: a gradient between two colours with added texture.
func (c *Canvas) PaintBackground(r *Random, from, to Color, texture func(row []int, y int)) {
	acrossX, acrossY := r.IntBetween(-150, 150), r.IntBetween(-150, 150)
	c.PaintGradient(from, to, func(row []int, y int) {
		for x := range row {
			row[x] = Unit/2 + acrossX*(2*x-c.Width)/(2*c.Width) + acrossY*(2*y-c.Height)/(2*c.Height)
		}
		texture(row, y)
	})
}

// PaintRow paints row y with mixtures of two colours. mix contains one value per pixel, from 0 (from) to 256 (to).
func (c *Canvas) PaintRow(y int, from, to Color, mix []int) {
	row := c.row(y)
	dr, dg, db := to.R-from.R, to.G-from.G, to.B-from.B
	for x, t := range mix {
		p := row[3*x:][:3]
		p[0], p[1], p[2] = clamp(from.R+dr*t>>8), clamp(from.G+dg*t>>8), clamp(from.B+db*t>>8)
	}
}
