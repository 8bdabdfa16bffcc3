package draw

// Canvas is a picture of 8-bit RGB. Its memory is laid out as the scan lines of a PNG: each row starts with a filter
// byte 0, so that encoding copies it as it stands.
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

// Ink is the colour of a figure at a pixel.
type Ink func(x, y int) Color

// Fill paints a path, at an opacity of 0 to 256.
func (c *Canvas) Fill(p Path, opacity int, ink Ink) {
	c.raster.rows(p, c.Width, c.Height, func(y, x0 int, cover []int) {
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

// Flat is an ink of one colour.
func Flat(color Color) Ink { return func(int, int) Color { return color } }

// PaintRow paints row y with colours between from (0) and to (256), by mix, which has one value for each pixel.
func (c *Canvas) PaintRow(y int, from, to Color, mix []int) {
	row := c.row(y)
	dr, dg, db := to.R-from.R, to.G-from.G, to.B-from.B
	for x, t := range mix {
		p := row[3*x:][:3]
		p[0], p[1], p[2] = clamp(from.R+dr*t>>8), clamp(from.G+dg*t>>8), clamp(from.B+db*t>>8)
	}
}
